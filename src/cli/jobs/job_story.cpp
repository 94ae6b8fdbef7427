#include "cli/jobs/job_story.h"

#include "cli/terminal/text_table.h"
#include "object/values/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    out += "  " + text.substr(start, end - start);
    start = end;
  }
  return out;
}

std::string section(const char* title, const std::vector<std::string>& heading, const Rows& rows) {
  if (rows.empty()) return {};
  return fmt::format("\n{}\n{}", title, indented(format_table(heading, rows)));
}

bool is_mpi(const Json& job) {
  return string_at(job, "kind") == "MPIJob";
}

/// It only starts the others: what it needs is not what the job asks for.
bool is_launcher(const Json& job, const ReplicaGroup& group) {
  return is_mpi(job) && (group.type == "launcher" || group.type == "Launcher");
}

Quantity summed(const Json& job, const char* list, std::string_view resource) {
  Quantity sum;
  for (const ReplicaGroup& group : replica_groups(job)) {
    if (group.pod == nullptr || is_launcher(job, group)) continue;
    for (const Json& container : array_at(*group.pod, "containers")) {
      const Json* amount = object_at(container, fmt::format("resources.{}", list))
                               .if_contains({resource.data(), resource.size()});
      const auto parsed = amount == nullptr ? Quantity() : Quantity::parse(*amount).value_or({});
      for (std::int64_t i = 0; i < group.replicas; ++i) sum += parsed;
    }
  }
  return sum;
}

/// Before the name of a kind, as it is spoken.
const char* article_of(std::string_view kind) {
  return kind.starts_with("MPI") || kind.starts_with("XG") ? "an" : "a";
}

/// One sentence: how it stands, since when, and why.
std::string state_sentence(const Json& job, const std::vector<ObjectPtr>& pods, WallTime now) {
  const std::string phase = phase_of(job);
  const std::string took = duration_of(job, now);
  std::string text;
  if (phase == "Succeeded") {
    text = fmt::format("It has succeeded, after {}.", took);
  } else if (phase == "Failed") {
    text = fmt::format("It has failed, after {}.", took);
  } else if (phase == "Running") {
    text = fmt::format("It has been running for {}.", took);
  } else if (phase == "Pending") {
    text = fmt::format("It is waiting to start, for {} by now.", age_of(job, now));
  } else if (phase == "Paused") {
    text = fmt::format("It is paused: `trainyard resume {}` lets it go on.", name_of(job));
  } else {
    text = fmt::format("It is {}.", phase);
  }
  std::string reason = explanation(job);
  if (reason.empty() && !job_has_ended(job)) reason = waiting_reason(pods);
  return reason.empty() ? text + "\n" : fmt::format("{}\nThe reason: {}\n", text, reason);
}

std::string joined(const JsonArray& words) {
  std::vector<std::string> texts;
  for (const Json& word : words) {
    texts.push_back(word.is_string() ? std::string(word.get_string()) : to_text(word));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string command_line(const Json& container) {
  JsonArray words = array_at(container, "command");
  const JsonArray& args = array_at(container, "args");
  words.insert(words.end(), args.begin(), args.end());
  return joined(words);
}

/// What a replica of the group does, and who starts it.
std::string program_words(const Json& job, const ReplicaGroup& group, const Json& container) {
  if (bool_at(job, "spec.torchrunConfig.enabled", bool_at(job, "spec.torchrunConfig.enable"))) {
    return fmt::format("torchrun, {} processes each, of {}",
                       string_at(job, "spec.torchrunConfig.procPerNode", "1"),
                       command_line(container));
  }
  if (is_mpi(job) && group.type == "worker") {
    const JsonArray& script = array_at(job, "spec.mpiConfig.script");
    const std::string program = joined(script.empty() ? array_at(job, "spec.worker.cmd") : script);
    if (!program.empty()) return fmt::format("{}, started by mpirun", program);
  }
  return command_line(container);
}

std::string mounts(const Json& pod, const Json& container) {
  std::vector<std::string> told;
  for (const Json& mount : array_at(container, "volumeMounts")) {
    std::string source;
    for (const Json& volume : array_at(pod, "volumes")) {
      if (string_at(volume, "name") != string_at(mount, "name")) continue;
      source = string_at(volume, "persistentVolumeClaim.claimName");
      if (source.empty()) source = string_at(volume, "hostPath.path");
      if (source.empty()) source = string_at(volume, "name");
    }
    told.push_back(fmt::format("{} at {}{}", source, string_at(mount, "mountPath"),
                               bool_at(mount, "readOnly") ? " (read only)" : ""));
  }
  return fmt::format("{}", fmt::join(told, ", "));
}

std::string resources(const Json& container) {
  std::vector<std::string> told;
  const JsonObject& requests = object_at(container, "resources.requests");
  const JsonObject& limits = object_at(container, "resources.limits");
  const auto text = [](const Json& value) {
    return value.is_string() ? std::string(value.get_string()) : to_text(value);
  };
  for (const auto& request : requests) {
    const Json* limit = limits.if_contains(request.key());
    told.push_back(fmt::format("{} {}{}", std::string_view(request.key()), text(request.value()),
                               limit == nullptr ? "" : fmt::format(" (at most {})", text(*limit))));
  }
  for (const auto& limit : limits) {
    if (requests.contains(limit.key())) continue;
    told.push_back(fmt::format("{} {}", std::string_view(limit.key()), text(limit.value())));
  }
  return fmt::format("{}", fmt::join(told, ", "));
}

std::string group_words(const Json& job, const ReplicaGroup& group) {
  std::string text = fmt::format("  {} × {}", group.replicas, group.type);
  const Json* container = main_container(group);
  if (container == nullptr) return text + "\n";
  const std::string program = program_words(job, group, *container);
  text += program.empty() ? "\n" : fmt::format(": {}\n", program);
  const std::vector<std::pair<const char*, std::string>> facts{
      {"image", std::string(string_at(*container, "image"))},
      {"folder", std::string(string_at(*container, "workingDir"))},
      {"resources", resources(*container)},
      {"volumes", mounts(*group.pod, *container)},
      {"restarted", group.restart}};
  for (const auto& [name, value] : facts) {
    if (!value.empty()) text += fmt::format("    {:10} {}\n", name, value);
  }
  return text;
}

std::string restarts_words(const Json& job) {
  const Json* limit = find(job, "spec.runPolicy.backoffLimit");
  // Those of Kubeflow's kinds are counted by their nodes, pod by pod.
  if (limit == nullptr || is_kubeflow(job)) return {};
  return fmt::format("  Restarts: {} of {} used\n", int_at(job, "status.backoffCount"),
                     int_at(job, "spec.runPolicy.backoffLimit"));
}

std::string tensorboard_words(const Json& job) {
  const std::string_view note = string_at(job, "status.tensorboard.note");
  if (!note.empty()) return fmt::format("  TensorBoard: {}\n", note);
  return find(job, "spec.tensorboardSpec") == nullptr ? "" : "  TensorBoard: asked for\n";
}

Rows replica_rows(const Json& job, const std::vector<ObjectPtr>& pods) {
  Rows rows;
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  for (const ReplicaState& state : replica_states(job, pods)) {
    std::string exit = state.exit_code ? std::to_string(*state.exit_code) : "-";
    if (!state.end_reason.empty() && state.end_reason != "Completed" &&
        state.end_reason != "Error") {
      exit += fmt::format(" ({})", state.end_reason);
    }
    rows.push_back({state.replica, state.phase, or_dash(state.node), exit,
                    std::to_string(state.restarts), or_dash(state.started), or_dash(state.ended),
                    state.pod});
  }
  return rows;
}

Rows condition_times(const Json& job) {
  Rows rows;
  for (const Json& condition : array_at(job, "status.conditions")) {
    rows.push_back(
        {std::string(string_at(condition, "lastTransitionTime")),
         fmt::format("{} {}", string_at(condition, "type"), string_at(condition, "status")),
         std::string(string_at(condition, "reason")),
         std::string(string_at(condition, "message"))});
  }
  return rows;
}

/// What every pod goes through tells nothing.
bool is_routine(const Json& event) {
  constexpr std::string_view kUsual[] = {"Scheduled", "Pulled", "Created", "Started"};
  return string_at(event, "type") == "Normal" &&
         std::find(std::begin(kUsual), std::end(kUsual), string_at(event, "reason")) !=
             std::end(kUsual);
}

Rows event_rows(const Json& job, const std::vector<ObjectPtr>& events) {
  Rows rows;
  for (const ObjectPtr& event : events) {
    const Json& body = event->body();
    const bool of_job = string_at(body, "involvedObject.uid") == uid_of(job);
    if (!of_job && is_routine(body)) continue;
    rows.push_back({event_time(body), std::string(string_at(body, "type")),
                    of_job ? "the job" : std::string(string_at(body, "involvedObject.name")),
                    std::string(string_at(body, "reason")),
                    std::string(string_at(body, "message"))});
  }
  return rows;
}

}  // namespace

std::string asked_for(const Json& job, std::string_view resource) {
  const Quantity requested = summed(job, "requests", resource);
  const Quantity limit = summed(job, "limits", resource);
  if (requested == Quantity() && limit == Quantity()) return "-";
  if (requested == limit || requested == Quantity()) return limit.to_text();
  if (limit == Quantity()) return requested.to_text();
  return fmt::format("{} / {}", requested.to_text(), limit.to_text());
}

std::string tell_story(const Json& job, const std::vector<ObjectPtr>& pods,
                       const std::vector<ObjectPtr>& events, WallTime now) {
  const std::string_view kind = string_at(job, "kind");
  std::string text = fmt::format("{} is {} {} in namespace {}, created {} ago ({}).\n",
                                 name_of(job), article_of(kind), kind, namespace_of(job),
                                 age_of(job, now), string_at(job, "metadata.creationTimestamp"));
  text += state_sentence(job, pods, now);
  if (is_paused(job) && phase_of(job) != "Paused") text += "A pause is asked for.\n";
  if (bool_at(job, "spec.runMode.debug.enabled")) {
    text += "It is in debug mode: its pods run, but not the training.\n";
  }
  text += "\nWhat it runs\n";
  for (const ReplicaGroup& group : replica_groups(job)) text += group_words(job, group);
  text += restarts_words(job) + tensorboard_words(job);
  text += section("Replicas",
                  {"REPLICA", "PHASE", "NODE", "EXIT CODE", "RESTARTS", "STARTED", "ENDED", "POD"},
                  replica_rows(job, pods));
  text += section("Conditions", {"SINCE", "CONDITION", "REASON", "MESSAGE"}, condition_times(job));
  text +=
      section("Events", {"TIME", "TYPE", "ABOUT", "REASON", "MESSAGE"}, event_rows(job, events));
  return text;
}

std::string event_time(const Json& event) {
  std::string_view time = string_at(event, "lastTimestamp");
  if (time.empty()) time = string_at(event, "eventTime");
  const std::int64_t count = int_at(event, "count", 1);
  return count < 2 ? std::string(time) : fmt::format("{} ({} times)", time, count);
}

awaitable<Result<std::vector<ObjectPtr>>> list_events(client::RemoteApi& api, std::string ns,
                                                      std::vector<std::string> uids) {
  client::ListOptions options;
  options.ns = std::move(ns);
  if (uids.size() == 1) options.fields = "involvedObject.uid=" + uids.front();
  CO_TRY(client::Listing listing, co_await api.list(kEvents, options));
  std::erase_if(listing.items, [&](const ObjectPtr& event) {
    return std::find(uids.begin(), uids.end(), string_at(event->body(), "involvedObject.uid")) ==
           uids.end();
  });
  // Times are whole seconds: within one, the order in which events were written decides.
  std::sort(listing.items.begin(), listing.items.end(),
            [](const ObjectPtr& a, const ObjectPtr& b) { return a->revision() < b->revision(); });
  co_return std::move(listing.items);
}

}  // namespace trainyard::cli
