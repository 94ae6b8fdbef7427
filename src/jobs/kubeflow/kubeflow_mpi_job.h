#pragma once

#include "jobs/kubeflow/kubeflow_job.h"
#include "jobs/mpi/meeting.h"
#include "jobs/resources.h"

namespace trainyard::jobs {

/// Kubeflow's MPIJob: the user's command in the launcher calls mpirun, which starts processes in
/// the workers over ssh. The launcher's end is the job's. The operator starts the launcher through
/// a batch Job, whose rules and words these are.
class KubeflowMpiJob final : public KubeflowJob {
 public:
  const Resource& resource() const override { return kKubeflowMpiJobs; }
  std::string_view name() const override { return "MPIJob"; }
  std::string specs_field() const override { return "spec.mpiReplicaSpecs"; }
  /// The first, whatever it is called.
  std::string_view main_container() const override { return ""; }
  JobForm read(const Json& job) const override;
  Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                std::int64_t port) const override;
  std::vector<Json> make_services(const Json& job, const JobForm& form) const override;
  std::vector<SupportObject> make_support(const Json& job, const JobForm& form,
                                          std::int64_t port) const override;
  void tell_more(Draft& draft) const override;
  std::string failure_headline(const Draft& draft, const EndRule& rule) const override;
  std::string limit_headline(const Draft& draft, EndedBy limit) const override;
  std::string event_source() const override { return "mpi-job-controller"; }

  std::vector<std::string_view> roles() const override { return {"Launcher", "Worker"}; }
  std::string_view usual_restart(std::string_view role) const override {
    return role == "Launcher" ? "OnFailure" : "Never";
  }
  std::string_view port_name() const override { return ""; }
  std::string operator_name() const override { return "mpi-operator"; }
  std::string_view manager() const override { return "kubeflow.org/mpi-operator"; }
  std::string title(const Json& job) const override;
  std::string suspended_words(const Json& /*job*/) const override { return "MPIJob suspended"; }
  std::string resumed_words(const Json& /*job*/) const override { return "MPIJob resumed"; }
  std::string running_words(const Json& job) const override;
  std::string success_words(const Json& job) const override;
  std::string failure_words(const Json& job, std::int64_t failed,
                            std::string_view role) const override;
  std::string failure_reason(const Draft& draft) const override;
  bool counts_all_as_succeeded() const override { return false; }
  bool tells(std::string_view reason) const override { return reason == "NoSshd"; }
  std::string unheeded(const Json& job) const override;

 protected:
  /// None that others are told of: sshd's is in the configuration of ssh.
  std::int64_t port_of(const Json& /*job*/, const JobForm& /*form*/, const Replica& /*replica*/,
                       std::int64_t /*leased*/) const override {
    return 0;
  }

 private:
  void make_launcher(Json& pod, const Json& job, const MpiMeeting& meeting) const;
};

}  // namespace trainyard::jobs
