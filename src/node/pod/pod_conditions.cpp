#include "node/pod/pod_conditions.h"

#include "contract/last_words.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainyard::node {
namespace {

constexpr std::array<std::string_view, 6> kOurs = {
    "PodReadyToStartContainers", "Initialized",  "Ready",
    "ContainersReady",           "PodScheduled", contract::kEndedCondition};

/// Why a condition is not true; empty: it is.
struct Lack {
  std::string reason;
  std::string message;
};

Json condition(const Json& before, std::string_view type, bool value, const Lack& why,
               WallTime now) {
  const std::string_view word = value ? "True" : "False";
  std::string since = format_time(now);
  const Json* old = find_condition(array_at(before, "conditions"), type);
  if (old != nullptr && string_at(*old, "status") == word) {
    since = string_at(*old, "lastTransitionTime", since);
  }
  JsonObject made{{"type", type}, {"status", word}, {"lastTransitionTime", since}};
  if (!why.reason.empty()) made["reason"] = why.reason;
  if (!why.message.empty()) made["message"] = why.message;
  return made;
}

template <class Test>
std::string names_where(const PodView& view, Test test) {
  std::string names;
  for (const ContainerView& container : view.containers) {
    if (test(container)) names += (names.empty() ? "" : " ") + container.name;
  }
  return names;
}

/// The end of a pod in the words of its conditions: empty while it lives.
std::string end_reason(const PodView& view, const PodPlan& plan) {
  const std::string_view phase = phase_of(view, plan);
  if (phase == "Succeeded") return "PodCompleted";
  return phase == "Failed" ? "PodFailed" : "";
}

Lack not_initialized(const PodView& view, const PodPlan& plan) {
  if (plan.initialized) return {plan.over ? end_reason(view, plan) : "", ""};
  const std::string names = names_where(view, [](const ContainerView& container) {
    if (container.role == Role::kInit) return !container.state.has_succeeded();
    return container.role == Role::kSidecar && !container.started();
  });
  if (plan.over) return {end_reason(view, plan), ""};
  return {"ContainersNotInitialized",
          fmt::format("containers with incomplete status: [{}]", names)};
}

Lack not_ready(const PodView& view, const PodPlan& plan) {
  const std::string names = names_where(view, [](const ContainerView& container) {
    return container.role != Role::kInit && !container.ready();
  });
  if (plan.over) return {end_reason(view, plan), ""};
  if (names.empty()) return {};
  return {"ContainersNotReady", fmt::format("containers with unready status: [{}]", names)};
}

Lack gates_missing(const Json& before, const JsonArray& gates) {
  std::string words;
  for (const Json& gate : gates) {
    const std::string_view type = string_at(gate, "conditionType");
    const Json* found = find_condition(array_at(before, "conditions"), type);
    if (found != nullptr && string_at(*found, "status") == "True") continue;
    words += words.empty() ? "" : ", ";
    words += found == nullptr
                 ? fmt::format(
                       "corresponding condition of pod readiness gate \"{}\" does not exist.", type)
                 : fmt::format("the status of pod readiness gate \"{}\" is not \"True\", but {}",
                               type, string_at(*found, "status"));
  }
  if (words.empty()) return {};
  return {"ReadinessGatesNotReady", words};
}

/// When each container ended that failed, finer than a status can say: who looks for the first of
/// several failures needs it.
std::string failed_ends(const PodView& view) {
  std::string notes;
  for (const ContainerView& container : view.containers) {
    const RunState& run = container.state;
    if (!run.has_ended() || run.has_succeeded() || !run.finished) continue;
    notes += (notes.empty() ? "" : "\n") +
             contract::end_note(container.name, format_time_micro(*run.finished), run.telling_line);
  }
  return notes;
}

bool is_ours(const Json& condition) {
  return std::find(kOurs.begin(), kOurs.end(), string_at(condition, "type")) != kOurs.end();
}

}  // namespace

JsonArray make_conditions(const PodView& view, const PodPlan& plan, const PodFacts& facts,
                          const Json& before, const JsonArray& readiness_gates, WallTime now) {
  const bool has_place = !facts.pod_ip.empty() && !plan.over;
  const Lack containers = not_ready(view, plan);
  const Lack pod = containers.reason.empty() ? gates_missing(before, readiness_gates) : containers;
  JsonArray conditions{
      condition(before, "PodReadyToStartContainers", has_place, {}, now),
      condition(before, "Initialized", plan.initialized, not_initialized(view, plan), now),
      condition(before, "Ready", pod.reason.empty(), pod, now),
      condition(before, "ContainersReady", containers.reason.empty(), containers, now),
      condition(before, "PodScheduled", true, {}, now)};
  const std::string ends = plan.over ? failed_ends(view) : "";
  if (!ends.empty()) {
    conditions.push_back(
        condition(before, contract::kEndedCondition, true, {"ContainersFailed", ends}, now));
  }
  for (const Json& old : array_at(before, "conditions")) {
    if (!is_ours(old)) conditions.push_back(old);
  }
  return conditions;
}

Json known_status(const Json& written, const Json& pod) {
  const Json* stored = find(pod, "status");
  if (written.is_null()) return stored == nullptr ? JsonObject() : *stored;
  Json known = written;
  JsonArray conditions;
  for (const Json& condition : array_at(written, "conditions")) {
    if (is_ours(condition)) conditions.push_back(condition);
  }
  for (const Json& condition : array_at(pod, "status.conditions")) {
    if (!is_ours(condition)) conditions.push_back(condition);
  }
  make_path(known, "conditions") = std::move(conditions);
  return known;
}

Json status_patch(const Json& status) {
  Json patch = status;
  JsonArray conditions;
  for (const Json& condition : array_at(status, "conditions")) {
    if (!is_ours(condition)) continue;
    JsonObject made = condition.get_object();
    // In a patch, what is not said stays as it was.
    for (const char* word : {"reason", "message"}) {
      if (!made.contains(word)) made[word] = nullptr;
    }
    conditions.push_back(std::move(made));
  }
  make_path(patch, "conditions") = std::move(conditions);
  for (const char* word : {"reason", "message"}) {
    if (find(status, word) == nullptr) make_path(patch, word) = nullptr;
  }
  return patch;
}

}  // namespace trainyard::node
