#include "cli/arena/views/job_json.h"

#include "cli/arena/pod_role.h"
#include "cli/arena/words.h"
#include "object/table/pod_cells.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

namespace trainyard::cli::arena {
namespace {

std::string seconds_text(std::chrono::nanoseconds span) {
  return fmt::format("{}s", std::chrono::duration_cast<std::chrono::seconds>(span).count());
}

std::int64_t unix_seconds(const Json& object) {
  const auto time = parse_time(string_at(object, "metadata.creationTimestamp"));
  return time ? std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count()
              : 0;
}

Json instance_json(const Json& pod, bool chief, WallTime now) {
  const auto made = parse_time(string_at(pod, "metadata.creationTimestamp"));
  return JsonObject{{"ip", string_at(pod, "status.podIP")},
                    {"status", pod_status_word(pod)},
                    {"name", name_of(pod)},
                    {"age", made ? seconds_text(now - *made) : "0s"},
                    {"node", string_at(pod, "spec.nodeName", "N/A")},
                    {"nodeIP", string_at(pod, "status.hostIP", "N/A")},
                    {"chief", chief},
                    {"requestGPUs", pod_gpus(pod)},
                    {"gpuMetrics", JsonObject()},
                    {"creationTimestamp", unix_seconds(pod)}};
}

/// Two blanks become four: texts hold no line ends of their own.
std::string with_wider_indent(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    at_start = c == '\n' || (at_start && c == ' ');
    out.append(at_start && c == ' ' ? 2 : 1, c);
  }
  return out;
}

Json with_lower_keys(const Json& value) {
  if (const JsonArray* array = value.if_array()) {
    JsonArray out;
    for (const Json& element : *array) out.push_back(with_lower_keys(element));
    return out;
  }
  const JsonObject* object = value.if_object();
  if (object == nullptr) return value;
  JsonObject out;
  for (const auto& member : *object) {
    out[lower(member.key())] = with_lower_keys(member.value());
  }
  return out;
}

}  // namespace

Json job_json(const TrainingJob& job, const std::string& tensorboard, WallTime now) {
  const Json* chief = chief_of(job);
  JsonArray instances;
  for (const ObjectPtr& pod : job.pods) {
    instances.push_back(instance_json(pod->body(), &pod->body() == chief, now));
  }
  return JsonObject{{"uuid", uid_of(job.body())},
                    {"name", job.name()},
                    {"namespace", job.ns()},
                    {"duration", seconds_text(duration_of(job, now))},
                    {"status", effective_status(job)},
                    {"trainer", job.type.name},
                    {"tensorboard", tensorboard},
                    {"chiefName", chief == nullptr ? std::string_view() : name_of(*chief)},
                    {"instances", std::move(instances)},
                    {"priority", priority_of(job)},
                    {"requestGPUs", requested_gpus(job)},
                    {"allocatedGPUs", held_gpus(job)},
                    {"creationTimestamp", unix_seconds(job.body())},
                    {"modelName", label_of(job.body(), "modelName")},
                    {"modelVersion", label_of(job.body(), "modelVersion")},
                    {"modelSource", annotation_of(job.body(), "modelSource")}};
}

std::string formatted(const Json& value, const std::string& format) {
  std::string text =
      format == "yaml" ? to_yaml(with_lower_keys(value)) : with_wider_indent(to_pretty_text(value));
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace trainyard::cli::arena
