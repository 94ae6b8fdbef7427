#pragma once

#include "jobs/kubeflow/kubeflow_job.h"
#include "jobs/resources.h"

namespace trainyard::jobs {

/// Kubeflow's TFJob: replicas that TF_CONFIG tells of each other. The end of the chief, or master,
/// is the job's; without one that of worker 0, or of all workers.
class TFJob final : public KubeflowJob {
 public:
  const Resource& resource() const override { return kTFJobs; }
  std::string_view name() const override { return "TFJob"; }
  std::string specs_field() const override { return "spec.tfReplicaSpecs"; }
  std::string_view main_container() const override { return "tensorflow"; }
  JobForm read(const Json& job) const override;
  Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                std::int64_t port) const override;

  /// Workers come last: where more of them come, the ports of the others stay what they are.
  std::vector<std::string_view> roles() const override {
    return {"Chief", "Master", "PS", "Evaluator", "Worker"};
  }
  std::string_view usual_restart(std::string_view /*role*/) const override { return "Never"; }
  std::string_view port_name() const override { return "tfjob-port"; }
  std::string running_words(const Json& job) const override;
  std::string success_words(const Json& job) const override;
  std::string failure_words(const Json& job, std::int64_t failed,
                            std::string_view role) const override;

 protected:
  std::int64_t port_of(const Json& job, const JobForm& form, const Replica& replica,
                       std::int64_t leased) const override;

 private:
  Json make_cluster(const Json& job, const JobForm& form, std::int64_t leased) const;
};

}  // namespace trainyard::jobs
