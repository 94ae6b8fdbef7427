#pragma once

#include "jobs/engine/form/form.h"
#include "jobs/resources.h"

namespace trainyard::jobs {

/// T9k's GenericJob: groups of pods, whatever they do, and rules of the user's own for the end.
class GenericJob final : public JobKind {
 public:
  const Resource& resource() const override { return kGenericJobs; }
  std::string_view name() const override { return "GenericJob"; }
  JobForm read(const Json& job) const override;
  Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                std::int64_t port) const override;
  /// Whichever comes first: T9k gives it no name.
  std::string_view main_container() const override { return ""; }
  /// Beside the one that makes host names resolve: one a replica, with spec.service.
  std::vector<Json> make_services(const Json& job, const JobForm& form) const override;
  std::string failure_headline(const Draft& draft, const EndRule& rule) const override;
};

}  // namespace trainyard::jobs
