#pragma once

#include "jobs/kubeflow/kubeflow_job.h"
#include "jobs/resources.h"

namespace trainyard::jobs {

/// Kubeflow's PyTorchJob: a master and workers that meet through MASTER_ADDR, MASTER_PORT, RANK and
/// WORLD_SIZE, or through torchrun, which reads PET_*. Without a master all workers decide the
/// end; of elastic ones the first that succeeds.
class PyTorchJob final : public KubeflowJob {
 public:
  const Resource& resource() const override { return kPyTorchJobs; }
  std::string_view name() const override { return "PyTorchJob"; }
  std::string specs_field() const override { return "spec.pytorchReplicaSpecs"; }
  std::string_view main_container() const override { return "pytorch"; }
  JobForm read(const Json& job) const override;
  Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                std::int64_t port) const override;

  std::vector<std::string_view> roles() const override { return {"Master", "Worker"}; }
  std::string_view usual_restart(std::string_view /*role*/) const override { return "OnFailure"; }
  std::string_view port_name() const override { return "pytorchjob-port"; }
  std::string unheeded(const Json& job) const override;
  std::string running_words(const Json& job) const override;
  std::string success_words(const Json& job) const override;
  std::string failure_words(const Json& job, std::int64_t failed,
                            std::string_view role) const override;

 protected:
  std::int64_t port_of(const Json& job, const JobForm& form, const Replica& replica,
                       std::int64_t leased) const override;

 private:
  /// Where torchrun's agents of an elastic job meet: beside the master's port, where there is one.
  std::int64_t meeting_port(const Json& job, const JobForm& form, std::int64_t leased) const;
  void add_master_variables(JsonArray& env, const Json& job, const JobForm& form,
                            const Replica& replica, std::int64_t leased) const;
  void add_elastic_variables(JsonArray& env, const Json& job, const JobForm& form,
                             const Replica& replica, std::int64_t leased) const;
};

}  // namespace trainyard::jobs
