#include "node/pod/pod_status.h"

#include "node/pod/container_status.h"
#include "node/pod/pod_conditions.h"
#include "node/pod/pod_view_for_tests.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

const PodFacts kFacts{"train", "ns", "u-1", "127.64.0.1", "127.0.0.1"};

Json status(const PodView& pod, const Json& before = JsonObject(), WallTime now = kNow,
            const JsonArray& gates = {}) {
  return make_pod_status(pod, plan_pod(pod, now), kFacts, before, gates, now);
}

Json container_status(const PodView& pod, std::size_t index = 0) {
  return array_at(status(pod), "containerStatuses")[index];
}

const Json& condition(const Json& status, std::string_view type) {
  static const Json kNone;
  for (const Json& entry : array_at(status, "conditions")) {
    if (string_at(entry, "type") == type) return entry;
  }
  return kNone;
}

/// "False ContainersNotReady containers with unready status: [main]"
std::string words(const Json& status, std::string_view type) {
  const Json& found = condition(status, type);
  std::string text(string_at(found, "status"));
  for (const char* part : {"reason", "message"}) {
    if (const auto word = string_at(found, part); !word.empty()) text += " " + std::string(word);
  }
  return text;
}

TEST(PodStatus, ThePhaseFollowsFromWhatTheContainersDo) {
  constexpr auto kAlways = RestartPolicy::kAlways;
  constexpr auto kNever = RestartPolicy::kNever;
  PodView deleted = pod_of({running(), absent("b")}, kAlways);
  deleted.must_end = true;
  PodView deleted_early = pod_of({absent()}, kAlways);
  deleted_early.must_end = true;
  PodView late = pod_of({ended(0)}, kAlways);
  late.deadline = kNow;
  struct Case {
    PodView pod;
    const char* phase;
  };
  const Case cases[] = {
      {pod_of({absent()}), "Pending"},
      {pod_of({running()}), "Running"},
      {pod_of({ended(0)}, kNever), "Succeeded"},
      {pod_of({ended(1)}, kNever), "Failed"},
      {pod_of({ended(0)}, kAlways), "Running"},
      {pod_of({again(absent(), 1)}, kAlways), "Running"},
      {pod_of({running(), absent("b")}), "Pending"},
      {pod_of({running(), ended(1, "b")}), "Running"},
      {pod_of({ended(0), ended(0, "b")}), "Succeeded"},
      {pod_of({ended(0), ended(3, "b")}), "Failed"},
      {pod_of({init(running("fetch")), absent()}), "Pending"},
      {pod_of({init(ended(0, "fetch")), absent()}), "Pending"},
      {pod_of({init(ended(0, "fetch")), running()}), "Running"},
      {pod_of({init(ended(1, "fetch")), absent()}, kNever), "Failed"},
      {pod_of({init(ended(1, "fetch")), absent()}, kAlways), "Pending"},
      {pod_of({sidecar(running("proxy")), ended(0)}), "Running"},
      {pod_of({sidecar(ended(137, "proxy")), ended(0)}), "Succeeded"},
      {deleted, "Pending"},
      {deleted_early, "Failed"},
      {late, "Failed"},
  };
  std::size_t index = 0;
  for (const Case& expected : cases) {
    EXPECT_EQ(string_at(status(expected.pod), "phase"), expected.phase) << "case " << index;
    ++index;
  }
}

TEST(PodStatus, TellsEachContainersState) {
  ContainerView failing = ended(137, "b");
  failing.state.signal = 9;
  failing.state.message = "killed";
  const Json made = status(pod_of({running(), failing, absent("c")}));
  const JsonArray& containers = array_at(made, "containerStatuses");
  ASSERT_EQ(containers.size(), 3U);
  EXPECT_EQ(string_at(containers[0], "state.running.startedAt"), "2026-03-01T09:59:00Z");
  EXPECT_EQ(string_at(containers[0], "containerID"), "trainyard://u-1/main/0");
  EXPECT_EQ(to_text(*find(containers[1], "state.terminated")),
            R"({"exitCode":137,"reason":"Error","containerID":"trainyard://u-1/b/0",)"
            R"("startedAt":"2026-03-01T09:59:00Z","finishedAt":"2026-03-01T09:59:30Z",)"
            R"("signal":9,"message":"killed"})");
  EXPECT_EQ(string_at(containers[2], "state.waiting.reason"), "ContainerCreating");
  EXPECT_EQ(find(containers[2], "containerID"), nullptr);
}

TEST(PodStatus, WhatWaitsForInitContainersSaysSo) {
  const Json made = status(pod_of({init(running("fetch")), init(absent("then")), absent()}));
  EXPECT_EQ(string_at(array_at(made, "containerStatuses")[0], "state.waiting.reason"),
            "PodInitializing");
  EXPECT_EQ(string_at(array_at(made, "initContainerStatuses")[1], "state.waiting.reason"),
            "PodInitializing");
}

TEST(PodStatus, TellsWhyAContainerWaits) {
  ContainerView view = absent();
  view.hindrance = {"CreateContainerConfigError", "configmap \"x\" not found", true, {}};
  const Json waiting = container_status(pod_of({view}));
  EXPECT_EQ(string_at(waiting, "state.waiting.reason"), "CreateContainerConfigError");
  EXPECT_EQ(string_at(waiting, "state.waiting.message"), "configmap \"x\" not found");
}

TEST(PodStatus, ACrashLoopKeepsTheLastEndInSight) {
  const Json looping = container_status(pod_of({again(ended(3), 5)}, RestartPolicy::kAlways));
  EXPECT_EQ(string_at(looping, "state.waiting.reason"), "CrashLoopBackOff");
  EXPECT_EQ(string_at(looping, "state.waiting.message"),
            "back-off 2m40s restarting failed container=main pod=train_ns(u-1)");
  EXPECT_EQ(int_at(looping, "lastState.terminated.exitCode"), 3);
  EXPECT_EQ(string_at(looping, "lastState.terminated.containerID"), "trainyard://u-1/main/5");
  EXPECT_EQ(int_at(looping, "restartCount"), 5);
  EXPECT_EQ(string_at(looping, "containerID"), "trainyard://u-1/main/5");
}

TEST(PodStatus, ARestartedContainerTellsHowTheRunBeforeEnded) {
  const Json restarted = container_status(pod_of({again(running(), 2)}, RestartPolicy::kAlways));
  EXPECT_EQ(int_at(restarted, "restartCount"), 2);
  EXPECT_EQ(int_at(restarted, "lastState.terminated.exitCode"), 1);
  EXPECT_EQ(string_at(restarted, "lastState.terminated.containerID"), "trainyard://u-1/main/1");
}

TEST(PodStatus, ARestartThatIsHinderedWaits) {
  ContainerView view = ended(1);
  view.hindrance = {"CreateContainerConfigError", "gone", true, {}};
  const Json waiting = container_status(pod_of({view}, RestartPolicy::kAlways));
  EXPECT_EQ(string_at(waiting, "state.waiting.reason"), "CreateContainerConfigError");
  EXPECT_EQ(int_at(waiting, "lastState.terminated.exitCode"), 1);
  EXPECT_EQ(int_at(container_status(pod_of({view})), "state.terminated.exitCode"), 1)
      << "without a restart the end is its last word";
}

TEST(PodStatus, InitContainersAreToldApart) {
  const Json made = status(pod_of({init(ended(0, "fetch")), running()}));
  ASSERT_EQ(array_at(made, "containerStatuses").size(), 1U);
  ASSERT_EQ(array_at(made, "initContainerStatuses").size(), 1U);
  EXPECT_EQ(string_at(array_at(made, "initContainerStatuses")[0], "name"), "fetch");
  EXPECT_TRUE(bool_at(array_at(made, "initContainerStatuses")[0], "ready"));
  EXPECT_EQ(find(status(pod_of({running()})), "initContainerStatuses"), nullptr);
}

TEST(PodStatus, ConditionsSayWhatIsMissing) {
  const Json waiting = status(pod_of({init(running("fetch")), absent()}));
  EXPECT_EQ(words(waiting, "Initialized"),
            "False ContainersNotInitialized containers with incomplete status: [fetch]");
  EXPECT_EQ(words(waiting, "Ready"),
            "False ContainersNotReady containers with unready status: [main]");
  EXPECT_EQ(words(waiting, "PodReadyToStartContainers"), "True");
  const Json half = status(pod_of({running(), absent("b"), absent("c")}));
  EXPECT_EQ(words(half, "ContainersReady"),
            "False ContainersNotReady containers with unready status: [b c]");
  const Json all = status(pod_of({running(), running("b")}));
  for (const char* type : {"Initialized", "ContainersReady", "Ready", "PodScheduled"}) {
    EXPECT_EQ(words(all, type), "True") << type;
  }
  EXPECT_EQ(words(status(pod_of({ended(0)})), "Ready"), "False PodCompleted");
  EXPECT_EQ(words(status(pod_of({ended(0)})), "Initialized"), "True PodCompleted");
  EXPECT_EQ(words(status(pod_of({ended(1)})), "ContainersReady"), "False PodFailed");
  EXPECT_EQ(words(status(pod_of({ended(1)})), "PodReadyToStartContainers"), "False");
}

TEST(PodStatus, ProbesDecideWhoIsReady) {
  ContainerView unready = running();
  unready.is_ready = false;
  EXPECT_FALSE(bool_at(container_status(pod_of({unready})), "ready"));
  EXPECT_TRUE(bool_at(container_status(pod_of({unready})), "started"));
  ContainerView starting = running();
  starting.startup_passed = false;
  EXPECT_FALSE(bool_at(container_status(pod_of({starting})), "started"));
  EXPECT_EQ(string_at(condition(status(pod_of({unready})), "Ready"), "status"), "False");
}

TEST(PodStatus, ReadinessGatesOfOthersCount) {
  const JsonArray gates{{{"conditionType", "example.com/ok"}}};
  EXPECT_EQ(words(status(pod_of({running()}), JsonObject(), kNow, gates), "Ready"),
            "False ReadinessGatesNotReady corresponding condition of pod readiness gate "
            "\"example.com/ok\" does not exist.");
  const Json before{{"conditions", JsonArray{{{"type", "example.com/ok"}, {"status", "True"}}}}};
  EXPECT_EQ(words(status(pod_of({running()}), before, kNow, gates), "Ready"), "True");
}

TEST(PodStatus, AConditionsTimeChangesOnlyWithItsStatus) {
  const Json first = status(pod_of({running()}));
  const WallTime later = kNow + 5min;
  const Json second = status(pod_of({running()}), first, later);
  EXPECT_EQ(to_text(second), to_text(first)) << "nothing has changed, so nothing is written";
  const Json third = status(pod_of({ended(0)}), second, later);
  for (const Json& entry : array_at(third, "conditions")) {
    const bool changed = string_at(entry, "type").find("Ready") != std::string_view::npos;
    EXPECT_EQ(string_at(entry, "lastTransitionTime"),
              changed ? "2026-03-01T10:05:00Z" : "2026-03-01T10:00:00Z");
  }
  EXPECT_EQ(string_at(third, "startTime"), "2026-03-01T10:00:00Z");
}

TEST(PodStatus, ConditionsOfOthersAreKeptAndNotWritten) {
  const Json mine{{"type", "example.com/x"}, {"status", "True"}};
  const Json pod{{"status", {{"conditions", JsonArray{mine}}}}};
  const Json first = status(pod_of({running()}), known_status(nullptr, pod));
  EXPECT_EQ(words(first, "example.com/x"), "True");
  const Json changed{
      {"status", {{"conditions", JsonArray{{{"type", "example.com/x"}, {"status", "False"}}}}}}};
  const Json known = known_status(first, changed);
  EXPECT_EQ(words(known, "example.com/x"), "False");
  EXPECT_EQ(string_at(condition(known, "Ready"), "lastTransitionTime"), "2026-03-01T10:00:00Z");
  const Json patch = status_patch(first);
  EXPECT_EQ(words(patch, "example.com/x"), "");
  EXPECT_TRUE(condition(patch, "Ready").get_object().at("reason").is_null()) << "an old one goes";
  EXPECT_TRUE(find(patch, "reason") != nullptr && find(patch, "reason")->is_null());
}

TEST(PodStatus, TheEndOfTheWholePodIsToldOnThePod) {
  ContainerView view = ended(137);
  view.state.reason = "NodeRebooted";
  view.state.message = "the machine was restarted";
  const Json rebooted = status(pod_of({view}));
  EXPECT_EQ(string_at(rebooted, "phase"), "Failed");
  EXPECT_EQ(string_at(rebooted, "reason"), "NodeRebooted");
  EXPECT_EQ(string_at(rebooted, "message"), "the machine was restarted");
  PodView late = pod_of({ended(143)});
  late.deadline = kNow;
  EXPECT_EQ(string_at(status(late), "reason"), "DeadlineExceeded");
}

TEST(ContainerStatus, PausesAreWrittenAsKubeletWritesThem) {
  EXPECT_EQ(format_pause(10s), "10s");
  EXPECT_EQ(format_pause(80s), "1m20s");
  EXPECT_EQ(format_pause(300s), "5m0s");
}

}  // namespace
}  // namespace trainyard::node
