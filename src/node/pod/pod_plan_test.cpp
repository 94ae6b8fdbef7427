#include "node/pod/pod_plan.h"

#include "node/pod/pod_view_for_tests.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

/// One letter a container: . leave, S start, R restart, X stop; then ! when all is over.
std::string steps(const PodView& pod, WallTime now = kNow) {
  const PodPlan plan = plan_pod(pod, now);
  std::string text;
  for (const Step& step : plan.steps) text += ".SRX"[static_cast<int>(step.kind)];
  return text + (plan.over ? "!" : "");
}

PodView ending(PodView pod) {
  pod.must_end = true;
  return pod;
}

TEST(PodPlan, AllMainContainersStartAtOnce) {
  EXPECT_EQ(steps(pod_of({absent("a"), absent("b")})), "SS");
  EXPECT_EQ(steps(pod_of({running("a"), absent("b")})), ".S");
}

TEST(PodPlan, InitContainersRunOneAfterTheOtherBeforeTheRest) {
  EXPECT_EQ(steps(pod_of({init(absent("a")), init(absent("b")), absent()})), "S..");
  EXPECT_EQ(steps(pod_of({init(running("a")), init(absent("b")), absent()})), "...");
  EXPECT_EQ(steps(pod_of({init(ended(0, "a")), init(absent("b")), absent()})), ".S.");
  EXPECT_EQ(steps(pod_of({init(ended(0, "a")), init(ended(0, "b")), absent()})), "..S");
}

TEST(PodPlan, AFailedInitContainerRunsAgainUnlessThePolicyIsNever) {
  const std::vector<ContainerView> containers{init(ended(1, "a")), absent()};
  EXPECT_EQ(steps(pod_of(containers, RestartPolicy::kNever)), "..!");
  EXPECT_EQ(steps(pod_of(containers, RestartPolicy::kOnFailure)), "R.");
  EXPECT_EQ(steps(pod_of(containers, RestartPolicy::kAlways)), "R.");
}

TEST(PodPlan, ASidecarMustHaveStartedBeforeWhatComesAfterIt) {
  ContainerView slow = sidecar(running("proxy"));
  slow.startup_passed = false;
  EXPECT_EQ(steps(pod_of({sidecar(absent("proxy")), init(absent("a")), absent()})), "S..");
  EXPECT_EQ(steps(pod_of({slow, init(absent("a")), absent()})), "...");
  EXPECT_EQ(steps(pod_of({sidecar(running("proxy")), init(absent("a")), absent()})), ".S.");
  EXPECT_EQ(steps(pod_of({sidecar(running("proxy")), init(ended(0, "a")), absent()})), "..S");
}

TEST(PodPlan, ASidecarRunsAgainWhateverThePolicyWhileThePodLives) {
  EXPECT_EQ(steps(pod_of({sidecar(ended(0, "proxy")), running()})), "R.");
  EXPECT_EQ(steps(pod_of({sidecar(ended(0, "proxy")), sidecar(absent("x")), running()})), "RS.")
      << "the order counts no longer when the main container has begun";
  EXPECT_EQ(steps(pod_of({sidecar(running("proxy")), ended(0)})), "X.") << "it is no longer needed";
  EXPECT_EQ(steps(pod_of({sidecar(ended(137, "proxy")), ended(0)})), "..!");
  EXPECT_EQ(steps(pod_of({sidecar(running("proxy")), init(ended(1, "a")), absent()})), "X..")
      << "the pod has failed";
}

TEST(PodPlan, ThePolicyDecidesWhoRunsAgain) {
  struct Case {
    RestartPolicy policy;
    int code;
    const char* steps;
  };
  for (const Case& expected : {Case{RestartPolicy::kAlways, 0, "R"},
                               {RestartPolicy::kAlways, 1, "R"},
                               {RestartPolicy::kOnFailure, 0, ".!"},
                               {RestartPolicy::kOnFailure, 1, "R"},
                               {RestartPolicy::kNever, 0, ".!"},
                               {RestartPolicy::kNever, 1, ".!"}}) {
    EXPECT_EQ(steps(pod_of({ended(expected.code)}, expected.policy)), expected.steps);
  }
  EXPECT_EQ(steps(pod_of({ended(1, "a"), running("b")})), "..") << "the others run on";
}

TEST(PodPlan, ARestartWaitsForItsPause) {
  const PodView pod = pod_of({again(ended(1), 3)}, RestartPolicy::kAlways);
  const PodPlan plan = plan_pod(pod, kNow);  // it ended 30 s ago, and the pause is 40 s
  EXPECT_EQ(plan.steps[0].kind, Step::Kind::kLeave);
  EXPECT_EQ(plan.steps[0].back_off, 40s);
  ASSERT_TRUE(plan.look_again);
  EXPECT_EQ(*plan.look_again - kNow, 10s);
  EXPECT_EQ(steps(pod, kNow + 10s), "R");
  EXPECT_EQ(*plan_pod(pod, kNow - 24h).look_again, kNow - 24h + 40s)
      << "a clock that was set back makes nobody wait longer";
}

TEST(PodPlan, WhatIsHinderedWaitsForAChangeOrForTime) {
  ContainerView hindered = absent();
  hindered.hindrance.reason = "CreateContainerConfigError";
  hindered.hindrance.until_change = true;
  EXPECT_EQ(steps(pod_of({hindered})), ".");
  EXPECT_FALSE(plan_pod(pod_of({hindered}), kNow).look_again);
  hindered.hindrance.until_change = false;
  EXPECT_EQ(steps(pod_of({hindered})), "S");
  hindered.hindrance.until = kNow + 5s;
  EXPECT_EQ(steps(pod_of({hindered})), ".");
  EXPECT_EQ(plan_pod(pod_of({hindered}), kNow).look_again, kNow + 5s);
  EXPECT_EQ(steps(pod_of({hindered}), kNow + 5s), "S");
}

TEST(PodPlan, ACondemnedContainerIsStoppedAndRunsAgain) {
  ContainerView sick = running();
  sick.condemned = true;
  EXPECT_EQ(steps(pod_of({sick, running("b")}, RestartPolicy::kAlways)), "X.");
  EXPECT_EQ(steps(pod_of({ended(143), running("b")}, RestartPolicy::kAlways)), "R.");
}

TEST(PodPlan, APodThatMustEndStartsNothingAndStopsSidecarsLast) {
  EXPECT_EQ(steps(ending(pod_of({absent(), running("b")}, RestartPolicy::kAlways))), ".X");
  EXPECT_EQ(steps(ending(pod_of({ended(1)}, RestartPolicy::kAlways))), ".!");
  EXPECT_EQ(steps(ending(pod_of({sidecar(running("x")), sidecar(running("y")), running()}))),
            "..X");
  EXPECT_EQ(steps(ending(pod_of({sidecar(running("x")), sidecar(running("y")), ended(0)}))), ".X.");
  EXPECT_EQ(steps(ending(pod_of({sidecar(running("x")), sidecar(ended(0, "y")), ended(0)}))),
            "X..");
  EXPECT_EQ(steps(ending(pod_of({init(running("a")), absent()}))), "X.");
  EXPECT_EQ(steps(ending(pod_of({absent()}))), ".!");
}

TEST(PodPlan, ADeadlineEndsThePod) {
  PodView pod = pod_of({running()});
  pod.deadline = kNow + 5s;
  EXPECT_EQ(steps(pod), ".");
  EXPECT_EQ(plan_pod(pod, kNow).look_again, kNow + 5s);
  EXPECT_EQ(steps(pod, kNow + 5s), "X");
  EXPECT_TRUE(plan_pod(pod, kNow + 5s).deadline_passed);
  pod.containers = {ended(0)};
  EXPECT_TRUE(plan_pod(pod, kNow + 5s).over);
}

}  // namespace
}  // namespace trainyard::node
