#include "jobs/kubeflow/conditions.h"

#include "jobs/engine/form/status.h"
#include "object/values/status.h"

namespace trainyard::jobs {
namespace {

bool drives_out(const std::string& type, std::string_view other) {
  return type == other || (type == "Running" && other == "Restarting") ||
         (type == "Restarting" && other == "Running");
}

}  // namespace

void set_kubeflow_condition(Json& status, const std::string& type, bool value,
                            const std::string& reason, const std::string& message, WallTime now) {
  if (condition_is(status, "Failed", true)) return;
  const JsonArray before = array_at(status, "conditions");
  const char* word = value ? "True" : "False";
  std::string since = format_time(now);
  if (const Json* current = find_condition(before, type);
      current != nullptr && string_at(*current, "status") == word) {
    if (string_at(*current, "reason") == reason) return;
    since = string_at(*current, "lastTransitionTime");
  }
  const bool ends = value && (type == "Failed" || type == "Succeeded");
  JsonArray after;
  for (const Json& condition : before) {
    if (drives_out(type, string_at(condition, "type"))) continue;
    after.push_back(condition);
    const std::string_view other = string_at(condition, "type");
    if (ends && (other == "Running" || other == "Restarting")) {
      after.back().get_object()["status"] = "False";
      after.back().get_object()["lastTransitionTime"] = format_time(now);
    }
  }
  after.push_back({{"type", type},
                   {"status", word},
                   {"reason", reason},
                   {"message", message},
                   {"lastUpdateTime", format_time(now)},
                   {"lastTransitionTime", since}});
  status.get_object()["conditions"] = std::move(after);
}

}  // namespace trainyard::jobs
