#include "node/pod/pod_containers.h"

#include "base/clock.h"
#include "base/log.h"
#include "client/reporting/background_events.h"
#include "node/container_id.h"
#include "node/pod/back_off.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

/// Between two tries at what may pass by itself: a full disk, too many processes.
constexpr auto kStartAgain = 5s;

/// Before others get a turn.
constexpr int kStartsAtOnce = 4;

const Json* status_of(const Json& pod, const std::string& container) {
  for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& status : array_at(pod, list)) {
      if (string_at(status, "name") == container) return &status;
    }
  }
  return nullptr;
}

constexpr const char* kStartError = "StartError";

/// The words of the shim (shim/root/mounts.cpp) for volumes that it could not mount.
bool tells_of_mount(std::string_view why) {
  constexpr std::string_view kBeginnings[] = {"volume", "the subPath ", "mount point ", "tmpfs"};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view beginning) { return why.starts_with(beginning); });
}

RunState lost_run() {
  RunState state;
  state.phase = RunState::Phase::kEnded;
  state.exit_code = 137;
  state.signal = SIGKILL;
  state.reason = "Lost";
  state.message = "the container was reported to run, and nothing of it is on this machine";
  return state;
}

}  // namespace

/// Of the container of the view with that index; init containers come first.
const Json& PodContainers::spec_of(const ObjectPtr& pod, std::size_t index) {
  const JsonArray& first = array_at(pod->body(), "spec.initContainers");
  if (index < first.size()) return first[index];
  return array_at(pod->body(), "spec.containers")[index - first.size()];
}

/// Nothing: probes and hooks have nothing to reach.
std::optional<ActionPlace> PodContainers::place_of(const ObjectPtr& pod, std::size_t index) const {
  const ContainerView& container = view_.containers[index];
  const auto folder = runtime_.folder(container.name, container.number);
  if (!folder) return std::nullopt;
  return ActionPlace{spec_of(pod, index), facts_.pod_ip, facts_.alone, *folder};
}

void PodContainers::adopt(const ObjectPtr& pod, const PodFacts& facts) {
  static const Json kNothing;
  facts_ = facts;
  view_ = view_of(pod->body());
  containers_.assign(view_.containers.size(), {});
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    const Json* status = status_of(pod->body(), view_.containers[i].name);
    adopt(i, status == nullptr ? kNothing : *status, pod);
  }
}

void PodContainers::adopt(std::size_t index, const Json& status, const ObjectPtr& pod) {
  ContainerView& container = view_.containers[index];
  const Json& spec = spec_of(pod, index);
  container.number = runtime_.last_run(container.name);
  container.state = runtime_.state(spec, container.number);
  if (container.state.lives()) {
    watch(index);
    container.state = runtime_.state(spec, container.number);  // it may have ended before that
  }
  std::vector<RunState> earlier;
  for (int number = container.number - 1;
       number >= 0 && container.number - number <= kRunsThatCount; --number) {
    RunState run = runtime_.state(spec, number);
    if (!run.has_ended()) break;
    earlier.push_back(std::move(run));
  }
  container.crashes = count_crashes(earlier);
  if (!earlier.empty()) container.last = std::move(earlier.front());
  // A run folder is not synced to disk: after a power cut it may be missing. What has run once must
  // not be taken for new.
  const int told = number_in(string_at(status, "containerID"));
  if (container.state.phase == RunState::Phase::kAbsent && told >= container.number) {
    container.number = told;
    container.state = lost_run();
  }
  // What was reported of this run counts on; of an earlier one it does not.
  static const Json kNothing;
  expect_probes(index, told == container.number ? status : kNothing, pod);
  if (container.state.runs()) begin_probes(index, pod);
  if (container.state.has_ended()) runtime_.unwatch(container.name);
}

void PodContainers::watch(std::size_t index) {
  runtime_.watch(view_.containers[index].name, view_.containers[index].number);
}

void PodContainers::look(const ObjectPtr& pod) {
  const PodView spec = view_of(pod->body());
  if (spec.deadline) view_.deadline = spec.deadline;
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    if (view_.containers[i].state.lives()) look_at(i, pod);
  }
}

void PodContainers::look_at(std::size_t index, const ObjectPtr& pod) {
  ContainerView& container = view_.containers[index];
  const bool ran = container.state.runs();
  container.state = runtime_.state(spec_of(pod, index), container.number);
  if (container.state.runs() && !ran) {
    last_start_ = parts_.clock.now();
    begin_probes(index, pod);
  }
  if (container.state.has_ended()) runtime_.unwatch(container.name);
  tell_outcome(index, pod);
  if (container.state.lost_bytes > 0) {
    parts_.events.warning(pod, "LogLost",
                          fmt::format("container {}: the last {} bytes of its log were lost: the "
                                      "disk is full or failing",
                                      container.name, container.state.lost_bytes));
  }
  if (container.state.phase != RunState::Phase::kAbsent) return;
  // Its shim has died before it could say who it is.
  container.hindrance.reason = "RunContainerError";
  container.hindrance.message = "the container's supervisor did not start";
  container.hindrance.until = parts_.clock.wall() + kStartAgain;
}

void PodContainers::expect_probes(std::size_t index, const Json& reported, const ObjectPtr& pod) {
  if (place_of(pod, index)) probes_.expect(index, spec_of(pod, index), reported);
}

void PodContainers::begin_probes(std::size_t index, const ObjectPtr& pod) {
  if (std::exchange(containers_[index].probed, true)) return;
  if (auto place = place_of(pod, index)) probes_.begin(index, pod, *std::move(place));
}

bool PodContainers::forget_hindrances() {
  bool any = false;
  for (ContainerView& container : view_.containers) {
    any = std::exchange(container.hindrance.until_change, false) || any;
  }
  return any;
}

bool PodContainers::is_hindered() const {
  return std::any_of(
      view_.containers.begin(), view_.containers.end(),
      [](const ContainerView& container) { return !container.hindrance.reason.empty(); });
}

std::int64_t PodContainers::grace_of(std::size_t index, std::int64_t grace_seconds,
                                     std::int64_t grace_left) const {
  const ContainerView& container = view_.containers[index];
  if (container.condemned && container.condemned_grace) {
    return view_.must_end ? std::min(grace_seconds, *container.condemned_grace)
                          : *container.condemned_grace;
  }
  const std::int64_t told = containers_[index].told_grace;
  if (container.role != Role::kSidecar || grace_seconds == 0) return grace_seconds;
  // What is left dwindles: that is no reason to hurry it again and again.
  return told >= 0 ? told : grace_left;
}

bool PodContainers::carry_out(const PodPlan& plan, const ObjectPtr& pod, std::int64_t grace_seconds,
                              std::int64_t grace_left) {
  int starts = 0;
  for (std::size_t i = 0; i < plan.steps.size() && starts < kStartsAtOnce; ++i) {
    const ContainerView& container = view_.containers[i];
    const Step& step = plan.steps[i];
    if (step.back_off && !std::exchange(containers_[i].told_back_off, true)) {
      parts_.events.warning(pod, "BackOff",
                            fmt::format("Back-off restarting failed container {} in pod {}",
                                        container.name, full_name(facts_)));
    }
    if (step.kind == Step::Kind::kStop) {
      stop(i, pod, grace_of(i, grace_seconds, grace_left));
    } else if (step.kind != Step::Kind::kLeave) {
      start(i, container.number + (step.kind == Step::Kind::kRestart ? 1 : 0), pod);
      ++starts;
    }
  }
  return starts > 0;
}

void PodContainers::start(std::size_t index, int number, const ObjectPtr& pod) {
  ContainerView& container = view_.containers[index];
  Container& own = containers_[index];
  PodRuntime::Launch told;
  if (auto obstacle = runtime_.start(pod, spec_of(pod, index), number, told)) {
    return hinder(index, pod, *std::move(obstacle));
  }
  if (number > container.number) {
    container.crashes = crashes_after(container.crashes, container.state);
    container.last = std::move(container.state);
    runtime_.forget_runs(container.name, number, kRunsThatCount);
  }
  container.number = number;
  container.hindrance = {};
  container.condemned = false;
  own.told_grace = -1;
  own.told_back_off = own.probed = own.pre_stop_begun = own.pre_stop_done = false;
  own.told_start = told.image.empty();
  expect_probes(index, Json(), pod);
  last_start_ = parts_.clock.now();
  watch(index);
  tell_start(container, told, pod);
  // It may run already, or have ended: what follows from that is seen by who looks.
  container.state = RunState();
  container.state.phase = RunState::Phase::kStarting;
  look_at(index, pod);
}

void PodContainers::tell_start(const ContainerView& container, const PodRuntime::Launch& told,
                               const ObjectPtr& pod) {
  if (told.image.empty()) return;
  parts_.events.normal(pod, "Pulled", told.image);
  for (const std::string& warning : told.warnings) {
    parts_.events.warning(pod, "NotGiven",
                          fmt::format("container {}: {}", container.name, warning));
  }
  parts_.events.normal(pod, "Created", fmt::format("Created container: {}", container.name));
}

/// A supervisor has been started; whether the program has, it tells later.
void PodContainers::tell_outcome(std::size_t index, const ObjectPtr& pod) {
  const ContainerView& container = view_.containers[index];
  const bool started = container.state.started.has_value();
  if (!started && !container.state.has_ended()) return;
  if (std::exchange(containers_[index].told_start, true)) return;
  if (started) {
    parts_.events.normal(pod, "Started", fmt::format("Started container {}", container.name));
  } else if (container.state.reason == kStartError) {
    const std::string& why = container.state.message;
    const bool is_mount = tells_of_mount(why);
    parts_.events.warning(
        pod, is_mount ? "FailedMount" : "Failed",
        fmt::format("{}container {}: {}", is_mount ? "" : "Error: ", container.name, why));
  }
}

void PodContainers::hinder(std::size_t index, const ObjectPtr& pod, Obstacle obstacle) {
  Hindrance& hindrance = view_.containers[index].hindrance;
  // Each try after the first is one of a row.
  if (obstacle.reason == "ErrImagePull" &&
      hindrance.reason.find("ImagePull") != std::string::npos) {
    obstacle.reason = "ImagePullBackOff";
    obstacle.event = "BackOff";
    obstacle.cause = Error(obstacle.cause.code(),
                           fmt::format("Back-off pulling image \"{}\": ErrImagePull: {}",
                                       view_.containers[index].image, obstacle.cause.message()));
  }
  const Code code = obstacle.cause.code();
  const bool is_new =
      hindrance.reason != obstacle.reason || hindrance.message != obstacle.cause.message();
  hindrance.until_change = code == Code::kNotFound || code == Code::kInvalid;
  hindrance.until.reset();
  if (!hindrance.until_change) hindrance.until = parts_.clock.wall() + kStartAgain;
  hindrance.reason = std::move(obstacle.reason);
  hindrance.message = obstacle.cause.message();
  if (!is_new) return;
  const char* prefix = obstacle.event == "Failed" ? "Error: " : "";
  parts_.events.warning(pod, std::move(obstacle.event), prefix + hindrance.message);
}

/// Once, and again only to hurry.
void PodContainers::stop(std::size_t index, const ObjectPtr& pod, std::int64_t grace_seconds) {
  Container& own = containers_[index];
  if (own.told_grace >= 0 && grace_seconds >= own.told_grace) return;
  if (must_run_hook_first(index, pod, grace_seconds)) return;
  send_stop(index, pod, grace_seconds);
}

/// True while its preStop hook runs. Without any grace there is no time for it.
bool PodContainers::must_run_hook_first(std::size_t index, const ObjectPtr& pod,
                                        std::int64_t grace_seconds) {
  Container& own = containers_[index];
  const auto place = place_of(pod, index);
  const bool has_hook = place && find(spec_of(pod, index), "lifecycle.preStop") != nullptr;
  if (!has_hook || own.pre_stop_done || grace_seconds == 0) return false;
  if (!view_.containers[index].state.runs()) return false;
  if (std::exchange(own.pre_stop_begun, true)) return true;
  const int number = view_.containers[index].number;
  probes_.before_stop(index, pod, *place, grace_seconds,
                      [this, index, number, pod](std::int64_t left) {
                        if (view_.containers[index].number != number) return;
                        containers_[index].pre_stop_done = true;
                        send_stop(index, pod, left);
                        on_news_();
                      });
  return true;
}

/// One that cannot be asked yet is asked when its start is news.
void PodContainers::send_stop(std::size_t index, const ObjectPtr& pod, std::int64_t grace_seconds) {
  Container& own = containers_[index];
  const ContainerView& container = view_.containers[index];
  const bool first = own.told_grace < 0;
  if (!runtime_.stop(container.name, container.number, grace_seconds)) return;
  own.told_grace = grace_seconds;
  // The probe that has condemned it has told so already.
  if (first && !container.condemned) {
    parts_.events.normal(pod, "Killing", fmt::format("Stopping container {}", container.name));
  }
}

}  // namespace trainyard::node
