#include "jobs/engine/plan/children.h"
#include "jobs/engine/plan/draft.h"

#include <fmt/format.h>

// What all kinds of jobs do unless they say otherwise (JobKind in jobs/engine/form/form.h).
namespace trainyard::jobs {

std::vector<Json> JobKind::make_services(const Json& job, const JobForm& /*form*/) const {
  return {make_headless_service(job)};
}

Json JobKind::make_pod_group(const Json& job, const JobForm& form) const {
  return jobs::make_pod_group(job, form);
}

std::string JobKind::limit_headline(const Draft& draft, EndedBy /*limit*/) const {
  return fmt::format("The job has run longer than runPolicy.activeDeadlineSeconds ({} s).",
                     draft.form.limits.deadline->count());
}

std::vector<ReplicaSpec> JobKind::replica_specs(const Json& job) const {
  std::vector<ReplicaSpec> specs;
  for (const Json& spec : array_at(job, "spec.replicaSpecs")) {
    specs.push_back({fmt::format("spec.replicaSpecs[{}]", specs.size()), &spec});
  }
  return specs;
}

Json JobKind::recall(const Json& job) const {
  const Json* status = find(job, "status");
  return status != nullptr && status->is_object() ? *status : Json(JsonObject());
}

void JobKind::report(Draft& draft) const {
  if (draft.status != draft.before) draft.plan.status = std::move(draft.status);
}

}  // namespace trainyard::jobs
