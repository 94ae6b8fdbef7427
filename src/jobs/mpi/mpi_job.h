#pragma once

#include "jobs/engine/form/form.h"
#include "jobs/resources.h"

namespace trainyard::jobs {

/// T9k's MPIJob: a launcher calls mpirun, which starts the program in the workers over ssh.
class MpiJob final : public JobKind {
 public:
  const Resource& resource() const override { return kMpiJobs; }
  std::string_view name() const override { return "MPIJob"; }
  JobForm read(const Json& job) const override;
  Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                std::int64_t port) const override;
  /// Launchers and workers have one of a name of their own; make_pod() puts it first.
  std::string_view main_container() const override { return ""; }
  std::vector<Json> make_services(const Json& job, const JobForm& form) const override;
  std::vector<SupportObject> make_support(const Json& job, const JobForm& form,
                                          std::int64_t port) const override;
  std::string_view why_kept() const override { return "cleanUpWorkers is false"; }
  std::vector<ReplicaSpec> replica_specs(const Json& job) const override;
  JsonArray debug_command(const ReplicaGroup& group) const override;
  void tell_more(Draft& draft) const override;
  std::string failure_headline(const Draft& draft, const EndRule& rule) const override;
};

}  // namespace trainyard::jobs
