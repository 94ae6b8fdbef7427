#include "jobs/engine/form/failure.h"

#include "contract/last_words.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <array>

namespace trainyard::jobs {
namespace {

constexpr const char* kNow = "state.terminated";
constexpr const char* kBefore = "lastState.terminated";

/// The container that failed, first in the order in which they run; null when none has.
const Json* failed_container(const Json& pod, const std::string& when) {
  for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& container : array_at(pod, list)) {
      if (int_at(container, when + ".exitCode") != 0) return &container;
    }
  }
  return nullptr;
}

const Json* spec_of(const Json& pod, std::string_view container) {
  for (const char* list : {"spec.initContainers", "spec.containers"}) {
    for (const Json& spec : array_at(pod, list)) {
      if (string_at(spec, "name") == container) return &spec;
    }
  }
  return nullptr;
}

/// Then what is told of it is not its own words but why, and what to do: no line of a log.
bool never_ran(const Failure& failure) {
  return failure.reason == "StartError" || failure.reason == "ContainerCannotRun";
}

void read_container(Failure& failure, const Json& pod, const Json& container,
                    const std::string& when) {
  failure.container = string_at(container, "name");
  const Json& ended = *find(container, when);
  failure.exit_code = int_at(ended, "exitCode");
  failure.signal = int_at(ended, "signal");
  failure.reason = string_at(ended, "reason");
  if (const auto time = parse_time(string_at(ended, "finishedAt"))) failure.time = *time;
  if (never_ran(failure)) {
    failure.message = string_at(ended, "message");
  } else {
    const contract::LastWords words = contract::read_last_words(string_at(ended, "message"));
    failure.line = words.line;
    failure.launcher = words.launcher && words.line.empty();
  }
  if (const Json* spec = spec_of(pod, failure.container)) {
    failure.memory_limit = string_at(*spec, "resources.limits.memory");
  }
  // Our node knows more than a status can say.
  const Json* noted = find_condition(pod, contract::kEndedCondition);
  if (noted == nullptr) return;
  const contract::EndNote note =
      contract::find_end_note(string_at(*noted, "message"), failure.container);
  if (const auto time = parse_time(note.time)) {
    failure.time = *time;
    failure.exact = true;
  }
  if (!note.line.empty() && !never_ran(failure)) {
    failure.line = note.line;
    failure.launcher = false;
  }
}

std::string signal_name(std::int64_t number) {
  struct Name {
    std::int64_t number;
    const char* name;
  };
  constexpr std::array kNames = {Name{1, "SIGHUP"},   Name{2, "SIGINT"},   Name{3, "SIGQUIT"},
                                 Name{4, "SIGILL"},   Name{6, "SIGABRT"},  Name{7, "SIGBUS"},
                                 Name{8, "SIGFPE"},   Name{9, "SIGKILL"},  Name{11, "SIGSEGV"},
                                 Name{13, "SIGPIPE"}, Name{15, "SIGTERM"}, Name{24, "SIGXCPU"}};
  for (const Name& known : kNames) {
    if (known.number == number) return known.name;
  }
  return fmt::format("signal {}", number);
}

std::string time_text(const Failure& failure) {
  return failure.exact ? format_time_micro(*failure.time) : format_time(*failure.time);
}

constexpr std::int64_t kFirstSignal = 129;
constexpr std::int64_t kLastSignal = 192;

/// What ended the process, where its exit code does not say all.
std::string killer_of(const Failure& failure) {
  if (failure.reason == "OOMKilled") {
    return failure.memory_limit.empty()
               ? ", out of memory"
               : fmt::format(", out of memory: its limit is {}", failure.memory_limit);
  }
  if (failure.signal != 0) return ", killed by " + signal_name(failure.signal);
  if (failure.exit_code >= kFirstSignal && failure.exit_code <= kLastSignal) {
    return fmt::format(", which is 128 + {}", signal_name(failure.exit_code - kFirstSignal + 1));
  }
  return {};
}

}  // namespace

namespace {

Failure read_failure(const Observed& observed, const std::string& when) {
  Failure failure;
  failure.pod = observed.name;
  failure.exit_code = observed.exit_code;
  if (observed.pod == nullptr) return failure;
  const Json& pod = observed.pod->body();
  failure.uid = uid_of(pod);
  failure.node = string_at(pod, "spec.nodeName");
  failure.alone =
      array_at(pod, "spec.containers").size() + array_at(pod, "spec.initContainers").size() <= 1;
  if (const Json* container = failed_container(pod, when)) {
    read_container(failure, pod, *container, when);
  } else {
    failure.reason = string_at(pod, "status.reason");
    failure.message = string_at(pod, "status.message");
  }
  return failure;
}

}  // namespace

Failure read_failure(const Observed& observed) {
  return read_failure(observed, kNow);
}

Failure read_last_failure(const Observed& observed) {
  return read_failure(observed, kBefore);
}

Json to_json(const Failure& failure) {
  JsonObject entry{{"name", failure.pod}, {"uid", failure.uid}};
  const auto put = [&](const char* name, const std::string& value) {
    if (!value.empty()) entry[name] = value;
  };
  put("node", failure.node);
  put("container", failure.container);
  if (!failure.alone) entry["besideOthers"] = true;
  entry["exitCode"] = failure.exit_code;
  if (failure.signal != 0) entry["signal"] = failure.signal;
  put("reason", failure.reason);
  put("memoryLimit", failure.memory_limit);
  if (failure.time) entry["time"] = time_text(failure);
  put("lastLine", failure.line);
  if (failure.launcher) entry["onlyLauncher"] = true;
  put("message", failure.message);
  return entry;
}

Failure read_failure(const Json& entry) {
  Failure failure;
  failure.pod = string_at(entry, "name");
  failure.uid = string_at(entry, "uid");
  failure.node = string_at(entry, "node");
  failure.container = string_at(entry, "container");
  failure.alone = !bool_at(entry, "besideOthers");
  failure.exit_code = int_at(entry, "exitCode");
  failure.signal = int_at(entry, "signal");
  failure.reason = string_at(entry, "reason");
  failure.memory_limit = string_at(entry, "memoryLimit");
  const std::string_view time = string_at(entry, "time");
  if (const auto parsed = parse_time(time)) failure.time = *parsed;
  failure.exact = time.find('.') != std::string_view::npos;
  failure.line = string_at(entry, "lastLine");
  failure.launcher = bool_at(entry, "onlyLauncher");
  failure.message = string_at(entry, "message");
  return failure;
}

std::string headline_of(const Failure& failure) {
  if (failure.exit_code == 0) {
    return fmt::format("Pod[{}] failed: {}{}", failure.pod,
                       failure.reason.empty() ? "its status does not say why" : failure.reason,
                       failure.message.empty() ? "" : fmt::format(" ({})", failure.message));
  }
  return fmt::format("Pod[{}] exited with error code {}", failure.pod, failure.exit_code);
}

std::string short_of(const Failure& failure, std::string_view who) {
  if (failure.exit_code == 0) {
    return fmt::format("{} failed: {}{}", who,
                       failure.reason.empty() ? "its status does not say why" : failure.reason,
                       failure.message.empty() ? "" : fmt::format(" ({})", failure.message));
  }
  if (never_ran(failure) && !failure.message.empty()) {
    return fmt::format("{} did not start: {}", who, failure.message);
  }
  const bool several = !failure.alone && !failure.container.empty();
  const std::string where = several ? " in container " + failure.container : "";
  const std::string killer = killer_of(failure);
  // Who is killed has no last word.
  if (failure.reason == "OOMKilled" || failure.signal != 0) {
    return fmt::format("{} failed{} ({})", who, where, killer.substr(2));
  }
  return fmt::format("{} failed{} (exit {}{}){}", who, where, failure.exit_code, killer,
                     failure.line.empty() ? "" : ": " + failure.line);
}

std::string short_cause(const Json& job) {
  const auto failed = [&](const char* type, std::string_view reason) -> std::string_view {
    const Json* condition = find_condition(array_at(job, "status.conditions"), type);
    if (condition == nullptr || string_at(*condition, "status") != "True") return {};
    if (!reason.empty() && string_at(*condition, "reason") != reason) return {};
    return string_at(*condition, "message");
  };
  std::string_view message = failed("Failed", "");
  if (message.empty()) message = failed("ReplicaFailure", "ErrorInPod");
  constexpr std::string_view kPod = "Pod[";
  const std::size_t begin = message.find(kPod);
  const std::size_t end = message.find(']', std::min(begin, message.size()));
  if (end == std::string_view::npos) return {};
  const std::string_view pod = message.substr(begin + kPod.size(), end - begin - kPod.size());
  for (const char* list : {"status.failures", "status.trainyard.failures"}) {
    for (const Json& entry : array_at(job, list)) {
      if (string_at(entry, "name") != pod) continue;
      return short_of(read_failure(entry), replica_of_pod(name_of(job), pod));
    }
  }
  return {};
}

std::string_view replica_of_pod(std::string_view job, std::string_view pod) {
  if (!pod.starts_with(job) || pod.size() <= job.size() + 1 || pod[job.size()] != '-') return pod;
  std::string_view rest = pod.substr(job.size() + 1);
  // Pods of T9k's kinds have five letters of the job's own before the replica's type.
  constexpr std::size_t kHash = 5;
  if (rest.size() > kHash && rest[kHash] == '-' &&
      rest.find_first_not_of("0123456789abcdef") == kHash) {
    const std::string_view replica = rest.substr(kHash + 1);
    if (replica.find_first_not_of("0123456789") != std::string_view::npos) rest = replica;
  }
  return rest;
}

std::string details_of(const Failure& failure) {
  std::string text = killer_of(failure);
  if (!failure.alone && !failure.container.empty()) {
    text += fmt::format(" in container {}", failure.container);
  }
  if (!failure.node.empty()) text += fmt::format(" on {}", failure.node);
  if (failure.time) text += " at " + time_text(failure);
  if (never_ran(failure) && !failure.message.empty()) {
    text += fmt::format("; it did not start: {}", failure.message);
  } else if (!failure.line.empty()) {
    text += fmt::format("; its last line: {}", failure.line);
  } else if (failure.launcher) {
    text += "; its last lines are torchrun's report only: see its log for what went wrong";
  }
  return text;
}

}  // namespace trainyard::jobs
