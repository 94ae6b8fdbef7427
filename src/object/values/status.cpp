#include "object/values/status.h"

#include <algorithm>

namespace trainyard {

bool is_final(std::string_view phase) {
  return phase == "Succeeded" || phase == "Failed";
}

bool has_ended(const Json& object) {
  const std::string_view phase = string_at(object, "status.phase");
  // Kubeflow's jobs have conditions and no phase.
  if (phase.empty()) return has_condition(object, "Succeeded") || has_condition(object, "Failed");
  return is_final(phase);
}

const Json* find_condition(const JsonArray& conditions, std::string_view type) {
  const Json* found = std::find_if(conditions.begin(), conditions.end(),
                                   [&](const Json& one) { return string_at(one, "type") == type; });
  return found == conditions.end() ? nullptr : found;
}

const Json* find_condition(const Json& object, std::string_view type) {
  return find_condition(array_at(object, "status.conditions"), type);
}

bool has_condition(const Json& object, std::string_view type) {
  const Json* found = find_condition(object, type);
  return found != nullptr && string_at(*found, "status") == "True";
}

}  // namespace trainyard
