#include "node/pod/pod_plan.h"

#include "node/pod/back_off.h"

#include <algorithm>

namespace trainyard::node {
namespace {

class Planner {
 public:
  Planner(const PodView& pod, WallTime now) : pod_(pod), now_(now) {
    plan_.steps.resize(pod.containers.size());
  }

  PodPlan make() {
    plan_.initialized = has_begun() || is_initialized();
    if (pod_.deadline && now_ >= *pod_.deadline) plan_.deadline_passed = true;
    if (pod_.must_end || plan_.deadline_passed) return stop_all();
    if (pod_.deadline) look_again(*pod_.deadline);
    if (!run_init_containers()) return stop_all();
    if (plan_.initialized && !run_main_containers()) return stop_all();
    return std::move(plan_);
  }

 private:
  /// A main container has been started once: whatever becomes of a sidecar, the order of the
  /// beginning counts no longer.
  bool has_begun() const {
    return std::any_of(pod_.containers.begin(), pod_.containers.end(), [](const auto& container) {
      return container.role == Role::kMain &&
             (container.number > 0 || container.state.phase != RunState::Phase::kAbsent);
    });
  }

  bool is_initialized() const {
    return std::all_of(pod_.containers.begin(), pod_.containers.end(), [](const auto& container) {
      if (container.role == Role::kInit) return container.state.has_succeeded();
      return container.role == Role::kMain || container.started();
    });
  }

  bool will_run_again(const ContainerView& container) const {
    const bool failed = container.state.exit_code != 0;
    switch (container.role) {
      case Role::kSidecar:
        return true;
      case Role::kInit:
        return failed && pod_.policy != RestartPolicy::kNever;
      case Role::kMain:
        break;
    }
    return pod_.policy == RestartPolicy::kAlways ||
           (pod_.policy == RestartPolicy::kOnFailure && failed);
  }

  bool is_done(const ContainerView& container) const {
    return container.state.has_ended() && !will_run_again(container);
  }

  /// One after the other; sidecars go on beside what comes after them. False: one has failed for
  /// good.
  bool run_init_containers() {
    for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
      const ContainerView& container = pod_.containers[i];
      if (container.role == Role::kMain) break;
      if (container.role == Role::kInit) {
        if (container.state.has_succeeded() || plan_.initialized) continue;
        if (is_done(container)) return false;
        keep_running(i);
        break;
      }
      keep_running(i);
      if (!container.started() && !plan_.initialized) break;
    }
    return true;
  }

  /// False: all of them are done.
  bool run_main_containers() {
    bool any_left = false;
    for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
      const ContainerView& container = pod_.containers[i];
      if (container.role != Role::kMain || is_done(container)) continue;
      any_left = true;
      keep_running(i);
    }
    return any_left;
  }

  void keep_running(std::size_t index) {
    const ContainerView& container = pod_.containers[index];
    Step& step = plan_.steps[index];
    if (container.state.lives()) {
      if (container.condemned) step.kind = Step::Kind::kStop;
      return;
    }
    step.again = container.state.has_ended();
    if (is_hindered(container.hindrance)) return;
    if (step.again && must_pause(container, step)) return;
    step.kind = step.again ? Step::Kind::kRestart : Step::Kind::kStart;
  }

  bool is_hindered(const Hindrance& hindrance) {
    if (hindrance.until_change) return true;
    if (!hindrance.until || now_ >= *hindrance.until) return false;
    look_again(*hindrance.until);
    return true;
  }

  bool must_pause(const ContainerView& container, Step& step) {
    const std::chrono::seconds pause = restart_pause(container.crashes, container.state);
    // The wall clock may have been set back meanwhile: nobody waits longer than the pause.
    const WallTime until = std::min(container.state.finished.value_or(now_), now_) + pause;
    if (now_ >= until) return false;
    step.back_off = pause;
    look_again(until);
    return true;
  }

  /// The main containers first; then the sidecars, the last one first, as the others may need them
  /// to the end.
  PodPlan stop_all() {
    plan_.steps.assign(pod_.containers.size(), Step());
    plan_.over = true;
    bool others_live = false;
    for (std::size_t i = pod_.containers.size(); i-- > 0;) {
      const ContainerView& container = pod_.containers[i];
      if (!container.state.lives()) continue;
      plan_.over = false;
      const bool waits = container.role == Role::kSidecar && others_live;
      if (!waits) plan_.steps[i].kind = Step::Kind::kStop;
      others_live = true;
    }
    return std::move(plan_);
  }

  void look_again(WallTime when) {
    plan_.look_again = std::min(plan_.look_again.value_or(when), when);
  }

  const PodView& pod_;
  WallTime now_;
  PodPlan plan_;
};

}  // namespace

PodPlan plan_pod(const PodView& pod, WallTime now) {
  return Planner(pod, now).make();
}

}  // namespace trainyard::node
