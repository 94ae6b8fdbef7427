#include "jobs/engine/form.h"

#include "jobs/engine/children.h"
#include "jobs/engine/draft.h"

#include <fmt/format.h>

namespace trainyard::jobs {

std::vector<Replica> replicas_of(const JobForm& form) {
  std::vector<Replica> replicas;
  std::int64_t rank = 0;
  const auto add_group = [&](std::size_t group) {
    for (std::int64_t index = 0; index < form.groups[group].replicas; ++index) {
      replicas.push_back(Replica{group, index, rank++});
    }
  };
  if (form.first_group < form.groups.size()) add_group(form.first_group);
  for (std::size_t group = 0; group < form.groups.size(); ++group) {
    if (group != form.first_group) add_group(group);
  }
  return replicas;
}

std::vector<Json> JobKind::make_services(const Json& job, const JobForm& /*form*/) const {
  return {make_headless_service(job)};
}

Json JobKind::make_pod_group(const Json& job, const JobForm& form) const {
  return jobs::make_pod_group(job, form);
}

std::string JobKind::limit_headline(const Draft& draft, EndedBy /*limit*/) const {
  return fmt::format("The job has run longer than runPolicy.activeDeadlineSeconds ({} s).",
                     draft.form.deadline->count());
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

std::optional<std::size_t> find_group(const JobForm& form, std::string_view type) {
  for (std::size_t i = 0; i < form.groups.size(); ++i) {
    if (form.groups[i].type == type && form.groups[i].replicas > 0) return i;
  }
  return std::nullopt;
}

}  // namespace trainyard::jobs
