// What is decided about a web app, for any state of it and its pod.
#include "workloads/web_apps/app_plan.h"

#include "object/yaml/yaml.h"
#include "workloads/test_world.h"
#include "workloads/web_apps/tensorboard.h"

#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

const WallTime kStart = *parse_time("2026-03-01T10:00:00Z");

Json yaml(const std::string& text) {
  const auto parsed = parse_yaml(text);
  EXPECT_TRUE(parsed && parsed->size() == 1) << text;
  return parsed ? parsed->front() : Json();
}

class AppPlanTest : public testing::Test {
 protected:
  AppPlanTest() {
    app_ = yaml(
        "apiVersion: tensorstack.dev/v1beta1\nkind: TensorBoard\nmetadata: {name: board, "
        "namespace: ns, uid: u-1, generation: 3, creationTimestamp: '2026-03-01T10:00:00Z'}\n"
        "spec: {logDir: {pvc: [{name: shared}]}}");
    view_.origin = "http://127.0.0.1:6482";
    view_.now = kStart;
  }

  /// Plans, and writes the status down as the controller would.
  AppPlan plan() {
    view_.app = std::make_shared<const StoredObject>(app_, 1);
    AppPlan plan = plan_app(kind_, kind_.read(app_), view_);
    if (plan.status) app_.get_object()["status"] = *plan.status;
    return plan;
  }
  /// Its pod with that status.
  void have_pod(const std::string& status) {
    Json pod = kind_.read(app_).pod;
    make_path(pod, "metadata.uid") = "p-1";
    make_path(pod, "metadata.creationTimestamp") = "2026-03-01T10:00:00Z";
    pod.get_object()["status"] = yaml(status);
    view_.pod = std::make_shared<const StoredObject>(pod, 1);
  }
  void have_ready_pod() {
    have_pod("{phase: Running, conditions: [{type: Ready, status: 'True'}]}");
  }
  std::string condition(const std::string& type, const std::string& field = "status") {
    return condition_field(app_, type, field);
  }
  std::string phase() { return std::string(string_at(app_, "status.phase")); }
  void suspend(bool yes) { make_path(app_, "spec.suspend") = yes; }

  TensorBoard kind_;
  Json app_;
  AppView view_;
};

std::vector<std::string> reasons(const AppPlan& plan) {
  std::vector<std::string> all;
  for (const AppEvent& event : plan.events) all.push_back(event.reason);
  return all;
}

TEST_F(AppPlanTest, MakesAPodAndSaysWhereItWillBe) {
  const AppPlan first = plan();
  EXPECT_TRUE(first.create);
  EXPECT_EQ(phase(), "Initializing");
  EXPECT_EQ(string_at(app_, "status.url"), "http://127.0.0.1:6482/ns/tensorboard/board/");
  EXPECT_EQ(int_at(app_, "status.observedGeneration"), 3);
  EXPECT_EQ(condition("Ready"), "False");
  EXPECT_EQ(condition("Suspended"), "False");
  EXPECT_EQ(condition("Idle"), "False");
  EXPECT_EQ(condition("Ready", "lastProbeTime"), "2026-03-01T10:00:00Z");
}

TEST_F(AppPlanTest, RunsWhenItsPodIsReady) {
  plan();
  have_ready_pod();
  const AppPlan ready = plan();
  EXPECT_FALSE(ready.create);
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(condition("Ready"), "True");
  EXPECT_EQ(condition("Ready", "message"), "TensorBoard [board] is ready");
  EXPECT_EQ(string_at(app_, "status.pod.reference.uid"), "p-1");
  EXPECT_EQ(reasons(ready), std::vector<std::string>{"PhaseTransformed"});
  EXPECT_EQ(ready.events[0].message, "TensorBoard board transformed from Initializing to Running");
}

TEST_F(AppPlanTest, WritesNothingWhenNothingHasChanged) {
  have_ready_pod();
  plan();
  view_.now += 5min;
  EXPECT_FALSE(plan().status);
  view_.now += 5min;
  EXPECT_TRUE(plan().status) << "the conditions shall say when they were looked at";
  EXPECT_EQ(condition("Ready", "lastProbeTime"), "2026-03-01T10:10:00Z");
  EXPECT_EQ(condition("Ready", "lastTransitionTime"), "2026-03-01T10:00:00Z");
}

TEST_F(AppPlanTest, WaitsForAClaimAndSaysWhich) {
  view_.missing_claims = {"shared"};
  const AppPlan waiting = plan();
  EXPECT_FALSE(waiting.create);
  EXPECT_TRUE(waiting.look_again);
  EXPECT_EQ(condition("Ready", "reason"), "VolumeMissing");
  EXPECT_NE(condition("Ready", "message").find("trainyard data create shared -n ns"),
            std::string::npos);
  EXPECT_EQ(reasons(waiting), std::vector<std::string>{"VolumeMissing"});
  EXPECT_TRUE(plan().events.empty()) << "it is said once";
  view_.missing_claims.clear();
  EXPECT_TRUE(plan().create);
}

TEST_F(AppPlanTest, TellsWhatIsNotInstalledAndHowToInstallIt) {
  have_pod(
      "{phase: Running, containerStatuses: [{state: {terminated: {exitCode: 128, reason: "
      "StartError, message: 'exec: \"tensorboard\": executable file not found in $PATH "
      "(/bin)'}}}]}");
  const AppPlan failed = plan();
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(condition("Ready", "reason"), "NotInstalled");
  EXPECT_NE(condition("Ready", "message").find("pip install tensorboard"), std::string::npos);
  EXPECT_EQ(reasons(failed), std::vector<std::string>{"NotInstalled"});
  EXPECT_FALSE(failed.remove_pod) << "it is tried again by itself";
}

TEST_F(AppPlanTest, TellsHowItsProgramEnded) {
  have_pod(
      "{phase: Running, containerStatuses: [{state: {waiting: {reason: CrashLoopBackOff}}, "
      "lastState: {terminated: {exitCode: 2, reason: Error, message: 'no such flag'}}}]}");
  plan();
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(condition("Ready", "reason"), "PodFailed");
  EXPECT_NE(condition("Ready", "message").find("exit code 2: no such flag"), std::string::npos);
}

TEST_F(AppPlanTest, TellsWhyItsPodDoesNotStart) {
  have_pod(
      "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, "
      "message: no node has 99 CPUs}]}");
  plan();
  EXPECT_EQ(phase(), "Initializing");
  EXPECT_EQ(condition("Ready", "message"), "no node has 99 CPUs");
}

TEST_F(AppPlanTest, IsSuspendedAndBroughtBack) {
  have_ready_pod();
  plan();
  suspend(true);
  const AppPlan suspended = plan();
  EXPECT_TRUE(suspended.remove_pod);
  EXPECT_EQ(phase(), "Suspended");
  EXPECT_EQ(condition("Suspended"), "True");
  EXPECT_EQ(condition("Ready"), "False");
  view_.pod = nullptr;
  EXPECT_FALSE(plan().create);
  EXPECT_EQ(find(app_, "status.pod"), nullptr);
  suspend(false);
  EXPECT_TRUE(plan().create);
  EXPECT_EQ(condition("Suspended"), "False");
  EXPECT_EQ(phase(), "Initializing");
}

TEST_F(AppPlanTest, IsIdleAnHourAfterItsLastUse) {
  have_ready_pod();
  EXPECT_EQ(plan().look_again, 1h);
  view_.now = kStart + 59min;
  EXPECT_EQ(plan().look_again, 1min);
  EXPECT_EQ(condition("Idle"), "False");
  view_.now = kStart + 60min;
  plan();
  EXPECT_EQ(condition("Idle"), "True");
  make_path(app_, "metadata.annotations") =
      JsonObject{{contract::kLastUsedAnnotation, "2026-03-01T10:59:00Z"}};
  EXPECT_EQ(plan().look_again, 59min);
  EXPECT_EQ(condition("Idle"), "False");
}

TEST_F(AppPlanTest, IsSuspendedAfterADayOfIdleness) {
  have_ready_pod();
  plan();
  view_.now = kStart + 24h;
  EXPECT_FALSE(plan().suspend);
  view_.now = kStart + 25h;
  const AppPlan late = plan();
  EXPECT_TRUE(late.suspend);
  EXPECT_TRUE(late.remove_pod);
  EXPECT_EQ(reasons(late), std::vector<std::string>{"IdleTooLong"});
}

TEST_F(AppPlanTest, IsNotSuspendedBeforeItsUseCouldBeSeen) {
  have_ready_pod();
  plan();
  view_.since = view_.now = kStart + 72h;  // the server was down for days
  const AppPlan late = plan();
  EXPECT_EQ(condition("Idle"), "True");
  EXPECT_FALSE(late.suspend);
  EXPECT_EQ(late.look_again, 1h);
  view_.now += 1h;
  EXPECT_TRUE(plan().suspend);
}

TEST_F(AppPlanTest, WhoIsBroughtBackIsNotIdleAtOnce) {
  suspend(true);
  plan();
  view_.now = kStart + 72h;
  suspend(false);
  const AppPlan back = plan();
  EXPECT_TRUE(back.create);
  EXPECT_FALSE(back.suspend);
  EXPECT_EQ(condition("Idle"), "False");
  EXPECT_EQ(back.look_again, 1h);
}

TEST_F(AppPlanTest, NeverIdleWhenTheLimitIsZero) {
  view_.limits.idle_after = 0s;
  have_ready_pod();
  view_.now = kStart + 1000h;
  const AppPlan old = plan();
  EXPECT_EQ(condition("Idle"), "False");
  EXPECT_FALSE(old.suspend);
}

TEST_F(AppPlanTest, ReplacesAPodThatEndedButNotAtOnce) {
  have_pod("{phase: Failed, reason: NodeRebooted}");
  const AppPlan early = plan();
  EXPECT_FALSE(early.remove_pod);
  EXPECT_EQ(early.look_again, 10s);
  view_.now += 10s;
  EXPECT_TRUE(plan().remove_pod);
}

TEST_F(AppPlanTest, ReplacesAPodOfAnotherSpec) {
  have_ready_pod();
  EXPECT_FALSE(plan().remove_pod);
  make_path(app_, "spec.image") = "another";
  EXPECT_TRUE(plan().remove_pod);
}

TEST_F(AppPlanTest, DoesNothingMoreForOneThatIsBeingDeleted) {
  make_path(app_, "metadata.deletionTimestamp") = "2026-03-01T10:00:00Z";
  const AppPlan none = plan();
  EXPECT_FALSE(none.create);
  EXPECT_FALSE(none.status);
}

}  // namespace
}  // namespace trainyard::workloads
