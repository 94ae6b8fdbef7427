#include "node/pod_status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using Phase = RunState::Phase;

const WallTime kNow = *parse_time("2026-03-01T10:00:00Z");

ContainerView absent(const std::string& name = "main") {
  ContainerView view;
  view.name = name;
  view.image = "torch";
  return view;
}

ContainerView running(const std::string& name = "main") {
  ContainerView view = absent(name);
  view.state.phase = Phase::kRunning;
  view.state.started = "2026-03-01T09:59:00.123456789Z";
  return view;
}

ContainerView ended(std::int64_t code, const std::string& name = "main") {
  ContainerView view = running(name);
  view.state.phase = Phase::kEnded;
  view.state.exit_code = code;
  view.state.reason = code == 0 ? "Completed" : "Error";
  view.state.finished = "2026-03-01T09:59:30.9Z";
  return view;
}

ContainerView restarting(ContainerView view) {
  view.will_run_again = true;
  return view;
}

ContainerView init(ContainerView view) {
  view.init = true;
  return view;
}

Json status(const std::vector<ContainerView>& views, const Json& before = JsonObject()) {
  return make_pod_status(views, "127.64.0.1", before, kNow);
}

std::string condition(const Json& status, std::string_view type) {
  for (const Json& entry : array_at(status, "conditions")) {
    if (string_at(entry, "type") == type) return std::string(string_at(entry, "status"));
  }
  return "-";
}

TEST(PodStatus, ThePhaseFollowsFromWhatTheContainersDo) {
  ContainerView waiting_again = absent();
  waiting_again.restarts = 1;
  struct Case {
    std::vector<ContainerView> views;
    const char* phase;
  };
  const Case cases[] = {
      {{absent()}, "Pending"},
      {{running()}, "Running"},
      {{ended(0)}, "Succeeded"},
      {{ended(1)}, "Failed"},
      {{restarting(ended(1))}, "Running"},
      {{waiting_again}, "Running"},
      {{running(), absent("b")}, "Pending"},
      {{running(), ended(1, "b")}, "Running"},
      {{ended(0), ended(0, "b")}, "Succeeded"},
      {{ended(0), ended(3, "b")}, "Failed"},
      {{init(running("fetch")), absent()}, "Pending"},
      {{init(ended(0, "fetch")), absent()}, "Pending"},
      {{init(ended(0, "fetch")), running()}, "Running"},
      {{init(ended(0, "fetch")), ended(0)}, "Succeeded"},
      {{init(ended(1, "fetch")), absent()}, "Failed"},
      {{init(restarting(ended(1, "fetch"))), absent()}, "Pending"},
  };
  std::size_t index = 0;
  for (const Case& expected : cases) {
    EXPECT_EQ(string_at(status(expected.views), "phase"), expected.phase) << "case " << index;
    ++index;
  }
}

TEST(PodStatus, TellsEachContainersState) {
  ContainerView failing = ended(137, "b");
  failing.state.signal = 9;
  failing.state.message = "killed";
  const Json made = status({running(), failing, absent("c")});
  const JsonArray& containers = array_at(made, "containerStatuses");
  ASSERT_EQ(containers.size(), 3U);
  EXPECT_EQ(string_at(containers[0], "state.running.startedAt"), "2026-03-01T09:59:00Z");
  EXPECT_EQ(to_text(*find(containers[1], "state.terminated")),
            R"({"exitCode":137,"reason":"Error","startedAt":"2026-03-01T09:59:00Z",)"
            R"("finishedAt":"2026-03-01T09:59:30Z","signal":9,"message":"killed"})");
  EXPECT_EQ(string_at(containers[2], "state.waiting.reason"), "ContainerCreating");
}

TEST(PodStatus, TellsWhyAContainerWaits) {
  ContainerView view = absent();
  view.waiting_reason = "CreateContainerError";
  view.waiting_message = "volume x is missing";
  const Json made = status({view});
  const Json& waiting = array_at(made, "containerStatuses")[0];
  EXPECT_EQ(string_at(waiting, "state.waiting.reason"), "CreateContainerError");
  EXPECT_EQ(string_at(waiting, "state.waiting.message"), "volume x is missing");
}

TEST(PodStatus, CountsRestarts) {
  ContainerView view = running();
  view.restarts = 2;
  const Json made = status({view});
  EXPECT_EQ(int_at(array_at(made, "containerStatuses")[0], "restartCount"), 2);
}

TEST(PodStatus, InitContainersAreToldApart) {
  const Json made = status({init(ended(0, "fetch")), running()});
  ASSERT_EQ(array_at(made, "containerStatuses").size(), 1U);
  ASSERT_EQ(array_at(made, "initContainerStatuses").size(), 1U);
  EXPECT_EQ(string_at(array_at(made, "initContainerStatuses")[0], "name"), "fetch");
  EXPECT_EQ(condition(made, "Initialized"), "True");
  EXPECT_EQ(condition(status({init(running("fetch")), absent()}), "Initialized"), "False");
  EXPECT_EQ(find(status({running()}), "initContainerStatuses"), nullptr);
}

TEST(PodStatus, IsReadyWhileAllItsContainersRun) {
  EXPECT_EQ(condition(status({running(), running("b")}), "Ready"), "True");
  EXPECT_EQ(condition(status({running(), absent("b")}), "Ready"), "False");
  EXPECT_EQ(condition(status({ended(0)}), "Ready"), "False");
  EXPECT_EQ(condition(status({absent()}), "PodScheduled"), "True");
}

TEST(PodStatus, AConditionsTimeChangesOnlyWithItsStatus) {
  const Json first = status({running()});
  const WallTime later = kNow + std::chrono::minutes(5);
  const Json second = make_pod_status({running()}, "127.64.0.1", first, later);
  EXPECT_EQ(to_text(second), to_text(first)) << "nothing has changed, so nothing is written";
  const Json third = make_pod_status({ended(0)}, "127.64.0.1", second, later);
  for (const Json& entry : array_at(third, "conditions")) {
    const bool changed = string_at(entry, "type").find("Ready") != std::string_view::npos;
    EXPECT_EQ(string_at(entry, "lastTransitionTime"),
              changed ? "2026-03-01T10:05:00Z" : "2026-03-01T10:00:00Z");
  }
  EXPECT_EQ(string_at(third, "startTime"), "2026-03-01T10:00:00Z");
}

TEST(PodStatus, ARebootOfTheMachineIsToldOnThePod) {
  ContainerView view = ended(137);
  view.state.reason = "NodeRebooted";
  view.state.message = "the machine was restarted";
  const Json made = status({view});
  EXPECT_EQ(string_at(made, "phase"), "Failed");
  EXPECT_EQ(string_at(made, "reason"), "NodeRebooted");
  EXPECT_EQ(string_at(made, "message"), "the machine was restarted");
}

}  // namespace
}  // namespace trainyard::node
