#include "jobs/engine/form/status.h"

#include "object/values/status.h"

namespace trainyard::jobs {

void set_condition(Json& status, const std::string& type, bool value, const std::string& reason,
                   const std::string& message, WallTime now) {
  const char* word = value ? "True" : "False";
  Json& list = make_path(status, "conditions");
  if (!list.is_array()) list = JsonArray();
  Json* existing = nullptr;
  for (Json& condition : list.get_array()) {
    if (string_at(condition, "type") == type) existing = &condition;
  }
  if (existing == nullptr) {
    list.get_array().push_back(JsonObject{{"type", type}});
    existing = &list.get_array().back();
  }
  JsonObject& condition = existing->get_object();
  if (string_at(*existing, "status") != word) condition["lastTransitionTime"] = format_time(now);
  condition["status"] = word;
  condition["reason"] = reason;
  condition["message"] = message;
}

bool condition_is(const Json& status, const std::string& type, bool value) {
  const Json* condition = find_condition(array_at(status, "conditions"), type);
  return condition != nullptr && string_at(*condition, "status") == (value ? "True" : "False");
}

}  // namespace trainyard::jobs
