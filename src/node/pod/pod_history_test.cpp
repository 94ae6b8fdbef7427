// Random histories of pods: containers that start, end, fail to start and lose their server at
// random moments, with what must hold at each of them.
#include "node/pod/back_off.h"
#include "node/pod/pod_plan.h"
#include "node/pod/pod_status.h"
#include "node/pod/pod_view_for_tests.h"

#include <gtest/gtest.h>

#include <random>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;
using Phase = RunState::Phase;

class History {
 public:
  explicit History(std::uint32_t seed) : dice_(seed) {
    pod_.policy = static_cast<RestartPolicy>(pick(3));
    for (int i = pick(4); i > 0; --i) {
      add(pick(3) == 0 ? sidecar(absent()) : init(absent()));
    }
    for (int i = 1 + pick(3); i > 0; --i) add(absent());
    if (pick(4) == 0) pod_.deadline = now_ + std::chrono::seconds(pick(2000));
  }

  void run() {
    for (int step = 0; step < 400 && !is_over_; ++step) {
      if (step == 300) pod_.must_end = true;  // whatever it does, it can be ended
      act();
      check();
      if (testing::Test::HasFatalFailure()) return;
      happen();
    }
    EXPECT_TRUE(is_over_) << "it must end after it was deleted";
  }

 private:
  int pick(int below) { return static_cast<int>(dice_() % static_cast<std::uint32_t>(below)); }
  void add(ContainerView container) {
    container.name = "c" + std::to_string(pod_.containers.size());
    pod_.containers.push_back(std::move(container));
  }

  void act() {
    plan_ = plan_pod(pod_, now_);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      ContainerView& container = pod_.containers[i];
      switch (plan_.steps[i].kind) {
        case Step::Kind::kLeave:
          break;
        case Step::Kind::kStart:
          ASSERT_EQ(container.state.phase, Phase::kAbsent);
          start(container);
          break;
        case Step::Kind::kRestart:
          ASSERT_TRUE(container.state.has_ended());
          check_pause(container);
          container.crashes = crashes_after(container.crashes, container.state);
          container.last = container.state;
          ++container.number;
          start(container);
          break;
        case Step::Kind::kStop:
          ASSERT_TRUE(container.state.lives());
          if (pick(2) == 0) end(container, 143);
          break;
      }
    }
    plan_ = plan_pod(pod_, now_);
  }

  void start(ContainerView& container) {
    ASSERT_FALSE(is_over_) << "nothing starts after the end";
    ASSERT_FALSE(pod_.must_end);
    if (container.role == Role::kMain) {
      for (const ContainerView& other : pod_.containers) {
        ASSERT_TRUE(other.role != Role::kInit || other.state.has_succeeded() || begun_);
      }
      begun_ = true;
    }
    container.state = RunState();
    container.state.phase = Phase::kStarting;
    container.startup_passed = pick(2) == 0;
    container.condemned = false;
  }

  void check_pause(const ContainerView& container) const {
    const auto pause = restart_pause(container.crashes, container.state);
    ASSERT_GE(now_ - *container.state.finished, pause);
    ASSERT_TRUE(pod_.policy != RestartPolicy::kNever || container.role == Role::kSidecar);
    ASSERT_FALSE(container.role == Role::kInit && container.state.has_succeeded());
  }

  void end(ContainerView& container, std::int64_t code) const {
    if (!container.state.started) container.state.started = now_;
    container.state.phase = Phase::kEnded;
    container.state.exit_code = code;
    container.state.finished = now_;
  }

  /// The world moves on.
  void happen() {
    now_ += std::chrono::seconds(pick(3) == 0 ? pick(900) : pick(20));
    if (pick(60) == 0) pod_.must_end = true;
    for (ContainerView& container : pod_.containers) {
      if (container.state.phase == Phase::kStarting && pick(3) != 0) {
        container.state.phase = Phase::kRunning;
        container.state.started = now_;
      } else if (container.state.runs() && pick(4) == 0) {
        end(container, pick(2) == 0 ? 0 : 1);
      } else if (container.state.runs()) {
        container.startup_passed = container.startup_passed || pick(2) == 0;
        container.condemned = pick(20) == 0;
      }
    }
  }

  void check() {
    const std::string phase = phase_of(pod_, plan_);
    const bool lives = std::any_of(pod_.containers.begin(), pod_.containers.end(),
                                   [](const auto& container) { return container.state.lives(); });
    ASSERT_FALSE(plan_.over && lives) << "an ended pod has no processes";
    ASSERT_EQ(plan_.over, phase == "Succeeded" || phase == "Failed");
    ASSERT_TRUE(phase_ != "Running" || phase != "Pending") << "a pod that ran never waits again";
    if (phase == "Succeeded") {
      for (const ContainerView& container : pod_.containers) {
        ASSERT_TRUE(container.role != Role::kMain || container.state.has_succeeded());
      }
    }
    if (plan_.deadline_passed && plan_.over) ASSERT_EQ(phase, "Failed");
    // Nobody waits for nothing: something runs, starts, or time will tell.
    const bool starts = std::any_of(plan_.steps.begin(), plan_.steps.end(), [](const auto& step) {
      return step.kind != Step::Kind::kLeave;
    });
    ASSERT_TRUE(plan_.over || lives || starts || plan_.look_again);
    phase_ = phase;
    is_over_ = plan_.over;
  }

  std::mt19937 dice_;
  WallTime now_ = kNow;
  PodView pod_;
  PodPlan plan_;
  std::string phase_;
  bool begun_ = false;
  bool is_over_ = false;
};

TEST(PodHistory, WhateverHappensThePodGoesOnAndEnds) {
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    History(seed).run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace trainyard::node
