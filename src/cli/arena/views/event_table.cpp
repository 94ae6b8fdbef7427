#include "cli/arena/views/event_table.h"

#include "cli/arena/elastic_table.h"
#include "cli/arena/keyed_sort.h"
#include "cli/arena/views/span_text.h"
#include "cli/arena/words.h"
#include "cli/command/job_facts.h"

#include <fmt/format.h>

#include <optional>

namespace trainyard::cli::arena {
namespace {

/// Events have one time or another, as whoever wrote them knew.
std::optional<WallTime> time_of(const Json& event) {
  for (const char* path :
       {"lastTimestamp", "series.lastObservedTime", "eventTime", "metadata.creationTimestamp"}) {
    const auto time = parse_time(string_at(event, path));
    if (time) return *time;
  }
  return std::nullopt;
}

bool is_about(const Json& event, const Json& object) {
  const std::string_view uid = string_at(event, "involvedObject.uid");
  if (!uid.empty()) return uid == uid_of(object);
  return string_at(event, "involvedObject.name") == name_of(object) &&
         string_at(event, "involvedObject.kind") == string_at(object, "kind");
}

std::vector<ObjectPtr> events_about(const std::vector<ObjectPtr>& events, const Json& object) {
  std::vector<ObjectPtr> found;
  for (const ObjectPtr& event : events) {
    if (is_about(event->body(), object)) found.push_back(event);
  }
  sort_by(found, [](const ObjectPtr& event) { return time_of(event->body()); });
  return found;
}

std::string source_of(const Json& event) {
  return fmt::format("{}/{}", lower(string_at(event, "involvedObject.kind")),
                     string_at(event, "involvedObject.name"));
}

std::string message_of(const Json& event) {
  return fmt::format("[{}] {}", string_at(event, "reason"), string_at(event, "message"));
}

/// The launcher of an MPIJob is a Job, which has events of its own when it cannot make its pod.
std::vector<ObjectPtr> events_of_launcher(const TrainingJob& job,
                                          const std::vector<ObjectPtr>& events) {
  std::vector<ObjectPtr> found;
  if (job.type.name != "mpijob") return found;
  for (const ObjectPtr& event : events) {
    if (string_at(event->body(), "involvedObject.kind") == "Job" &&
        string_at(event->body(), "involvedObject.name") == job.name() + "-launcher") {
      found.push_back(event);
    }
  }
  sort_by(found, [](const ObjectPtr& event) { return time_of(event->body()); });
  return found;
}

}  // namespace

std::string event_table(const TrainingJob& job, const std::vector<ObjectPtr>& events,
                        WallTime now) {
  std::vector<std::vector<ObjectPtr>> groups;
  for (const ObjectPtr& pod : job.pods) groups.push_back(events_about(events, pod->body()));
  groups.push_back(events_of_launcher(job, events));
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  ElasticTable table;
  table.line("Events:");
  if (groups.empty()) {
    return table.line(fmt::format("The instances of {} have no events.", job.name())).text();
  }
  table.row({"SOURCE", "TYPE", "AGE", "MESSAGE"});
  table.row({"--------", "----", "---", "-------"});
  for (const std::vector<ObjectPtr>& group : groups) {
    for (const ObjectPtr& event : group) {
      const Json& body = event->body();
      const auto time = time_of(body);
      table.row({source_of(body), std::string(string_at(body, "type")),
                 time ? span_text(now - *time) : "<unknown>", message_of(body)});
    }
    table.row({"", "", "", ""});
  }
  return table.text();
}

std::string pending_reason(const TrainingJob& job, const std::vector<ObjectPtr>& events) {
  if (std::string reason = waiting_reason(job.pods); !reason.empty()) return reason;
  std::vector<ObjectPtr> about = events_about(events, job.body());
  for (const ObjectPtr& pod : job.pods) {
    for (ObjectPtr& event : events_about(events, pod->body())) about.push_back(std::move(event));
  }
  std::erase_if(
      about, [](const ObjectPtr& event) { return string_at(event->body(), "type") != "Warning"; });
  if (about.empty()) return {};
  sort_by(about, [](const ObjectPtr& event) { return time_of(event->body()); });
  const Json& newest = about.back()->body();
  return fmt::format("{}: {}", source_of(newest), message_of(newest));
}

}  // namespace trainyard::cli::arena
