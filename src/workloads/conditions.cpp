#include "workloads/conditions.h"

namespace trainyard::workloads {

void set_condition(JsonArray& conditions, const Condition& condition, WallTime now) {
  const Json* before = find_condition(conditions, condition.type);
  const bool same = before != nullptr && string_at(*before, "status") == condition.status;
  JsonObject entry{{"type", condition.type}, {"status", condition.status}};
  if (same && string_at(*before, "reason") == condition.reason &&
      string_at(*before, "message") == condition.message) {
    return;
  }
  entry["lastTransitionTime"] =
      same ? std::string(string_at(*before, "lastTransitionTime")) : format_time(now);
  entry["reason"] = condition.reason;
  entry["message"] = condition.message;
  if (before != nullptr) {
    const auto place = static_cast<std::size_t>(before - conditions.data());
    conditions[place] = std::move(entry);
  } else {
    conditions.push_back(std::move(entry));
  }
}

void remove_condition(JsonArray& conditions, std::string_view type) {
  if (const Json* found = find_condition(conditions, type)) {
    conditions.erase(conditions.begin() + (found - conditions.data()));
  }
}

}  // namespace trainyard::workloads
