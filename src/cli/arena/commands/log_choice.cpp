#include "cli/arena/commands/log_choice.h"

#include "cli/arena/pod_role.h"
#include "cli/terminal/duration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

constexpr const char* kGoneAnnotation = "trainyard.dev/log-kept";

/// A pod that has ended and of which little is known.
ObjectPtr stand_in(const client::KeptLog& log) {
  Json pod{{"metadata",
            {{"name", log.pod.name},
             {"namespace", log.pod.ns},
             {"uid", log.uid},
             {"labels", log.labels},
             {"creationTimestamp", format_time(log.kept)},
             {"annotations", {{kGoneAnnotation, format_time(log.kept)}}}}},
           {"status", {{"phase", "Succeeded"}}}};
  return std::make_shared<const StoredObject>(std::move(pod), 0);
}

bool is_of_job(const Json& labels, const std::string& type, const std::string& job) {
  const Json pod{{"metadata", {{"labels", labels}}}};
  return is_instance_of(pod, type, job) ||
         (label_of(pod, "app").empty() && label_of(pod, "training.kubeflow.org/job-name") == job);
}

bool has_pod(const TrainingJob& job, const std::string& name) {
  return std::any_of(job.pods.begin(), job.pods.end(),
                     [&](const ObjectPtr& pod) { return name_of(pod->body()) == name; });
}

std::vector<std::string> names_of(const TrainingJob& job) {
  std::vector<std::string> names;
  for (const ObjectPtr& pod : job.pods) names.emplace_back(name_of(pod->body()));
  return names;
}

}  // namespace

TrainingJob with_kept_instances(TrainingJob job, const std::vector<client::KeptLog>& kept) {
  const auto created = parse_time(string_at(job.body(), "metadata.creationTimestamp"));
  // The newest of each name stands for it.
  for (auto log = kept.rbegin(); log != kept.rend(); ++log) {
    if (log->pod.ns != job.ns() || !is_of_job(log->labels, job.type.name, job.name())) continue;
    if ((created && log->kept < *created) || has_pod(job, log->pod.name)) continue;
    job.pods.push_back(stand_in(*log));
  }
  std::sort(job.pods.begin(), job.pods.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    return name_of(a->body()) < name_of(b->body());
  });
  return job;
}

std::optional<TrainingJob> job_from_kept(const std::string& name, const std::string& ns,
                                         const std::vector<client::KeptLog>& kept) {
  for (auto log = kept.rbegin(); log != kept.rend(); ++log) {
    for (const TrainingType& type : training_types()) {
      if (log->pod.ns != ns || !is_of_job(log->labels, type.name, name)) continue;
      Json body{{"metadata", {{"name", name}, {"namespace", ns}, {"labels", log->labels}}}};
      TrainingJob job{type, std::make_shared<const StoredObject>(std::move(body), 0), {}};
      return with_kept_instances(std::move(job), kept);
    }
  }
  return std::nullopt;
}

bool is_gone(const Json& instance) {
  return !annotation_of(instance, kGoneAnnotation).empty();
}

Result<const Json*> choose_instance(const TrainingJob& job, const std::string& named) {
  if (job.pods.empty()) {
    return Error(Code::kNotFound,
                 fmt::format("the job {} has no instances (yet): `arena get {}` says how it is",
                             job.name(), job.name()));
  }
  if (!named.empty()) {
    for (const ObjectPtr& pod : job.pods) {
      if (name_of(pod->body()) == named) return &pod->body();
    }
    return Error(Code::kNotFound,
                 fmt::format("the job {} has no instance {}: `arena get {}` shows those that it "
                             "has",
                             job.name(), named, job.name()));
  }
  if (job.pods.size() == 1) return &job.pods.front()->body();
  if (const Json* chief = chief_of(job)) return chief;
  return Error(Code::kInvalid,
               fmt::format("the job {} has {} instances:\n{}\nsay which one with -i or --instance",
                           job.name(), job.pods.size(), fmt::join(names_of(job), "\n")));
}

std::string initialising_container(const Json& pod) {
  for (const Json& status : array_at(pod, "status.initContainerStatuses")) {
    const Json* ended = find(status, "state.terminated");
    if (ended != nullptr && int_at(*ended, "exitCode") == 0) continue;
    const bool has_run = ended != nullptr || find(status, "state.running") != nullptr ||
                         find(status, "lastState.terminated") != nullptr;
    return has_run ? std::string(string_at(status, "name")) : "";
  }
  return "";
}

std::string choose_container(const TrainingJob& job, const Json& pod, const std::string& named) {
  if (!named.empty()) return named;
  if (is_gone(pod)) return job.type.container;
  const std::string_view phase = phase_of_pod(pod);
  if (phase == "Pending" || phase == "Failed") {
    if (std::string waits_for = initialising_container(pod); !waits_for.empty()) return waits_for;
  }
  const JsonArray& containers = array_at(pod, "spec.containers");
  for (const Json& container : containers) {
    if (string_at(container, "name") == job.type.container) return job.type.container;
  }
  return containers.empty() ? "" : std::string(string_at(containers.front(), "name"));
}

bool has_not_started(const Json& pod) {
  return phase_of_pod(pod) == "Pending" && initialising_container(pod).empty();
}

LogSource source_of(const TrainingJob& job, const Json& pod, bool previous) {
  // Without a uid, a server that keeps logs gives the newest of that name.
  return {std::string(name_of(pod)), Key{job.ns(), std::string(name_of(pod))},
          std::string(uid_of(pod)), previous, std::string(string_at(pod, "spec.nodeName"))};
}

Result<std::optional<WallTime>> log_start(const LogsFlags& flags, WallTime now) {
  if (!flags.since.empty() && !flags.since_time.empty()) {
    return Error(Code::kInvalid, "only one of --since and --since-time can be given");
  }
  if (!flags.since.empty()) {
    if (flags.since.find('d') != std::string::npos) {
      return Error(
          Code::kInvalid,
          fmt::format("--since {}: write hours, minutes and seconds, such as 1h30m", flags.since));
    }
    TRY(const auto back, parse_duration(flags.since, "--since"));
    return std::optional<WallTime>(now - back);
  }
  if (flags.since_time.empty()) return std::optional<WallTime>();
  const auto time = parse_time(flags.since_time);
  if (time) return std::optional<WallTime>(*time);
  return Error(Code::kInvalid, fmt::format("--since-time {}: write a time such as "
                                           "2024-05-06T09:30:00Z",
                                           flags.since_time));
}

}  // namespace trainyard::cli::arena
