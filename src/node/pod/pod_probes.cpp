#include "node/pod/pod_probes.h"

#include "base/clock.h"
#include "client/reporting/background_events.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

/// A hook may take as long as the container lives; this is for ever enough.
constexpr auto kHookTimeout = 24h;

bool has_probe(const Json& container, const char* field) {
  return find(container, field) != nullptr;
}

}  // namespace

ContainerView* PodProbes::current(std::size_t index, int number) {
  ContainerView& container = view_.containers[index];
  return container.number == number && container.state.runs() ? &container : nullptr;
}

void PodProbes::expect(std::size_t index, const Json& container, const Json& reported) {
  ContainerView& view = view_.containers[index];
  const bool started = bool_at(reported, "started");
  view.hook_done = started || !has_probe(container, "lifecycle.postStart");
  view.startup_passed = started || !has_probe(container, "startupProbe");
  view.is_ready = bool_at(reported, "ready") || !has_probe(container, "readinessProbe");
}

void PodProbes::begin(std::size_t index, const ObjectPtr& pod, ActionPlace place) {
  const ContainerView& container = view_.containers[index];
  if (!container.hook_done) {
    tasks_.spawn_contained("postStart of " + container.name,
                           run_hook(index, container.number, pod, place));
  }
  for (Probe& probe : probes_of(place.container)) {
    if (probe.kind == Probe::Kind::kStartup && container.startup_passed) continue;
    tasks_.spawn_contained("probe of " + container.name,
                           run_probe(index, container.number, std::move(probe), pod, place));
  }
}

awaitable<void> PodProbes::run_hook(std::size_t index, int number, ObjectPtr pod,
                                    ActionPlace place) {
  const Json hook = *find(place.container, "lifecycle.postStart");
  const ActionResult result =
      co_await do_action(parts_.loop, parts_.clock, hook, place, kHookTimeout);
  ContainerView* container = current(index, number);
  if (container == nullptr) co_return;
  container->hook_done = result.success;
  if (!result.success) {
    container->condemned = true;
    parts_.events.warning(pod, "FailedPostStartHook",
                          result.message.empty() ? "PostStartHook failed" : result.message);
    parts_.events.normal(pod, "Killing", "FailedPostStartHook");
  }
  on_news_();
}

awaitable<void> PodProbes::run_probe(std::size_t index, int number, Probe probe, ObjectPtr pod,
                                     ActionPlace place) {
  ProbeCount count(probe);
  const bool is_startup = probe.kind == Probe::Kind::kStartup;
  co_await parts_.clock.sleep_for(probe.initial_delay);
  while (true) {
    const TimePoint next = parts_.clock.now() + probe.period;
    ContainerView* container = current(index, number);
    if (container == nullptr || container->condemned) co_return;
    // The others wait until the startup probe has succeeded.
    if (is_startup || container->startup_passed) {
      const ActionResult result =
          co_await do_action(parts_.loop, parts_.clock, probe.action, place, probe.timeout);
      if (current(index, number) == nullptr) co_return;
      if (!result.success) tell_failure(probe, pod, result.message);
      if (const auto verdict = count.add(result.success)) apply(index, probe, *verdict, pod);
      if (is_startup && view_.containers[index].startup_passed) co_return;
    }
    co_await parts_.clock.sleep_until(next);
  }
}

void PodProbes::tell_failure(const Probe& probe, const ObjectPtr& pod, const std::string& message) {
  parts_.events.warning(pod, "Unhealthy",
                        fmt::format("{} probe failed: {}", word_of(probe.kind), message));
}

void PodProbes::apply(std::size_t index, const Probe& probe, bool success, const ObjectPtr& pod) {
  ContainerView& container = view_.containers[index];
  const bool was_ready = container.is_ready;
  const bool had_started = container.startup_passed;
  if (probe.kind == Probe::Kind::kReadiness) {
    container.is_ready = success;
  } else if (!success) {
    container.condemned = true;
    container.condemned_grace = probe.grace_seconds;
    const char* what = probe.kind == Probe::Kind::kStartup ? "startup" : "liveness";
    parts_.events.normal(
        pod, "Killing",
        fmt::format("Container {} failed {} probe, will be restarted", container.name, what));
  } else if (probe.kind == Probe::Kind::kStartup) {
    container.startup_passed = true;
  }
  if (container.condemned || container.is_ready != was_ready ||
      container.startup_passed != had_started) {
    on_news_();
  }
}

void PodProbes::before_stop(std::size_t index, const ObjectPtr& pod, ActionPlace place,
                            std::int64_t grace_seconds, std::function<void(std::int64_t)> then) {
  tasks_.spawn_contained(
      "preStop of " + view_.containers[index].name,
      run_pre_stop(index, pod, std::move(place), grace_seconds, std::move(then)));
}

awaitable<void> PodProbes::run_pre_stop(std::size_t index, ObjectPtr pod, ActionPlace place,
                                        std::int64_t grace_seconds,
                                        std::function<void(std::int64_t)> then) {
  const Json hook = *find(place.container, "lifecycle.preStop");
  const TimePoint began = parts_.clock.now();
  const ActionResult result = co_await do_action(parts_.loop, parts_.clock, hook, place,
                                                 std::chrono::seconds(grace_seconds));
  if (!result.success) {
    parts_.events.warning(pod, "FailedPreStopHook",
                          result.message.empty() ? "PreStopHook failed" : result.message);
  }
  const auto took =
      std::chrono::duration_cast<std::chrono::seconds>(parts_.clock.now() - began).count();
  // Something is always left for a clean end, as kubelet has it.
  constexpr std::int64_t kLeastGrace = 2;
  then(std::max(grace_seconds - took, std::min(grace_seconds, kLeastGrace)));
}

}  // namespace trainyard::node
