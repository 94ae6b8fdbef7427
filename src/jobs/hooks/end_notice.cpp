#include "jobs/hooks/end_notice.h"

#include "object/values/metadata.h"
#include "object/values/status.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

const Json* end_condition(const Json& job, const std::string& phase) {
  for (const Json& condition : array_at(job, "status.conditions")) {
    if (string_at(condition, "type") == phase && string_at(condition, "status") == "True") {
      return &condition;
    }
  }
  return nullptr;
}

std::string_view ended_at(const Json& job) {
  const std::string_view told = string_at(job, "status.completionTime");
  if (!told.empty()) return told;
  const Json* condition = end_condition(job, end_of(job));
  return condition == nullptr ? "" : string_at(*condition, "lastTransitionTime");
}

}  // namespace

std::string end_of(const Json& job) {
  const std::string_view phase = string_at(job, "status.phase");
  if (is_final(phase)) return std::string(phase);
  if (!phase.empty()) return "";
  for (const char* type : {"Succeeded", "Failed"}) {  // Kubeflow's kinds have conditions only
    if (has_condition(job, type)) return type;
  }
  return "";
}

std::optional<WallTime> end_time(const Json& job) {
  const auto time = parse_time(ended_at(job));
  if (!time) return std::nullopt;
  return *time;
}

Json end_notice(const Json& job) {
  const std::string phase = end_of(job);
  const Json* condition = end_condition(job, phase);
  const std::string reason(condition == nullptr ? "" : string_at(*condition, "message"));
  std::string lasted;
  const auto began = parse_time(string_at(job, "status.startTime"));
  const auto ended = end_time(job);
  JsonObject notice{{"event", "JobEnded"}};
  if (began && ended && *ended >= *began) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*ended - *began);
    lasted = " after " + format_age(seconds);
    notice["seconds"] = seconds.count();
  }
  notice["text"] = fmt::format("job {}/{} {}{}{}{}", namespace_of(job), name_of(job), phase, lasted,
                               reason.empty() ? "" : ": ", reason);
  notice["kind"] = string_at(job, "kind");
  notice["namespace"] = namespace_of(job);
  notice["name"] = name_of(job);
  notice["uid"] = uid_of(job);
  notice["phase"] = phase;
  notice["reason"] = reason;
  notice["started"] = string_at(job, "status.startTime");
  notice["ended"] = ended_at(job);
  return notice;
}

}  // namespace trainyard::jobs
