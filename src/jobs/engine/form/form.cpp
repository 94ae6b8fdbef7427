#include "jobs/engine/form/form.h"

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

std::optional<std::size_t> find_group(const JobForm& form, std::string_view type) {
  for (std::size_t i = 0; i < form.groups.size(); ++i) {
    if (form.groups[i].type == type && form.groups[i].replicas > 0) return i;
  }
  return std::nullopt;
}

}  // namespace trainyard::jobs
