// The cause in one sentence: which replica, where, how, when, its last line, and the others.
#include "jobs/engine/plan/cause.h"

#include "contract/last_words.h"
#include "jobs/engine/test_world.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

World running(const std::string& restart = "Never", const std::string& run_policy = "{}") {
  World world = World::with_groups({"{type: worker, replicas: 3, restartPolicy: " + restart + "}"},
                                   run_policy);
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  return world;
}

/// As our node tells it.
void fail(World& world, const std::string& pod, std::int64_t code, const std::string& time,
          const std::string& line) {
  world.end_pod(pod, code);
  Json& object = world.pods.at(world.pod_name(pod));
  make_path(object, "spec.nodeName") = "node-" + pod.substr(pod.size() - 1);
  world.set_end_note(pod, contract::end_note("main", "2026-03-01T" + time + "Z", line));
}

Json& terminated(World& world, const std::string& pod) {
  Json& object = world.pods.at(world.pod_name(pod));
  return object.at("status").at("containerStatuses").at(0).at("state").at("terminated");
}

TEST(Cause, NamesPodCodeNodeTimeAndLastLine) {
  World world = running();
  fail(world, "worker-0", 1, "10:00:05.123456", "ValueError: bad batch");
  world.settle();
  const std::string sentence =
      "Pod[mnist-40c14-worker-0] exited with error code 1 on node-0 at "
      "2026-03-01T10:00:05.123456Z; its last line: ValueError: bad batch";
  for (const char* condition : {"Failed", "Completed", "ReplicaFailure"}) {
    EXPECT_NE(world.condition(condition).find(sentence), std::string::npos) << condition;
  }
  EXPECT_EQ(world.told("Failed"), std::vector<std::string>{sentence});
}

TEST(Cause, NamesTheFirstToFailAndThatTheOthersFollowed) {
  World world = running();
  // Seen in one look, and not in the order in which they happened.
  fail(world, "worker-0", 1, "10:00:06.500000", "RuntimeError: Connection closed by peer [::1]");
  fail(world, "worker-1", 1, "10:00:07.000000", "RuntimeError: Connection closed by peer [::1]");
  fail(world, "worker-2", 137, "10:00:05.250000", "epoch 3");
  terminated(world, "worker-2").get_object()["signal"] = 9;
  world.settle();
  EXPECT_EQ(world.told("Failed"),
            std::vector<std::string>{
                "Pod[mnist-40c14-worker-2] exited with error code 137, killed by SIGKILL on node-2 "
                "at 2026-03-01T10:00:05.250000Z; its last line: epoch 3; the other 2 failed "
                "because of it, lost connections say, from 1.25 s later; then "
                "Pod[mnist-40c14-worker-0] exited with error code 1 on node-0 at "
                "2026-03-01T10:00:06.500000Z; its last line: RuntimeError: Connection closed by "
                "peer [::1]"});
  EXPECT_EQ(short_cause(world.job), "worker-2 failed (killed by SIGKILL)")
      << "the same replica in few words";
}

TEST(Cause, OfOthersThatDoNotSayWhyOnlyTheOrderIsTold) {
  World world = running();
  fail(world, "worker-1", 1, "10:00:05.250000", "");
  fail(world, "worker-0", 2, "10:00:05.750000", "");
  world.settle();
  EXPECT_TRUE(world.told("Failed").at(0).starts_with(
      "Pod[mnist-40c14-worker-1] exited with error code 1 on node-1 at "
      "2026-03-01T10:00:05.250000Z; the other one failed after it, from 0.50 s later; then "
      "Pod[mnist-40c14-worker-0] exited with error code 2"))
      << world.told("Failed").at(0);
}

TEST(Cause, OutOfMemoryNamesTheLimit) {
  World world = running();
  fail(world, "worker-0", 137, "10:00:05.250000", "");
  terminated(world, "worker-0").get_object()["reason"] = "OOMKilled";
  Json& container = world.pods.at(world.pod_name("worker-0")).at("spec").at("containers").at(0);
  make_path(container, "resources.limits.memory") = "512Mi";
  world.settle();
  EXPECT_TRUE(world.told("Failed").at(0).starts_with(
      "Pod[mnist-40c14-worker-0] exited with error code 137, out of memory: its limit is 512Mi on "
      "node-0"))
      << world.told("Failed").at(0);
}

TEST(Cause, WholeSecondsThatAreEqualDoNotTellWhoWasFirst) {
  World world = running();
  world.end_pod("worker-0", 1);
  world.end_pod("worker-2", 1);
  world.settle();
  EXPECT_TRUE(world.told("Failed").at(0).ends_with(
      "; which of Pod[mnist-40c14-worker-0], Pod[mnist-40c14-worker-2] failed first cannot be "
      "told: their times are known in whole seconds only"))
      << world.told("Failed").at(0);
}

TEST(Cause, WholeSecondsThatDifferTell) {
  World world = running();
  world.end_pod("worker-2", 1);
  world.now += 2s;
  world.end_pod("worker-0", 1);
  world.settle();
  EXPECT_TRUE(world.told("Failed").at(0).starts_with("Pod[mnist-40c14-worker-2]"));
}

TEST(Cause, IsRememberedWhenItsPodHasBeenReplaced) {
  World world = running("OnFailure", "{backoffLimit: 1}");
  fail(world, "worker-2", 137, "10:00:05.250000", "");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(string_at(world.pod("worker-2"), "status.phase"), "Pending");
  fail(world, "worker-0", 1, "10:00:07.000000", "Connection reset by peer");
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  const std::string told = world.told("Failed").at(0);
  EXPECT_TRUE(told.starts_with(
      "Pod[mnist-40c14-worker-2] exited with error code 137, which is 128 + SIGKILL"))
      << told;
  EXPECT_TRUE(told.ends_with("all 1 restarts of runPolicy.backoffLimit are used up")) << told;
}

TEST(Cause, OfSeveralTriesTheLastCounts) {
  World world = running("OnFailure", "{backoffLimit: 2}");
  const char* times[] = {"10:00:05.000000", "10:00:06.000000", "10:00:15.000000",
                         "10:00:16.000000"};
  for (int i = 0; i < 2; ++i) {
    fail(world, "worker-2", 137, times[2 * i], "");
    world.settle();
    fail(world, "worker-0", 1, times[2 * i + 1], "Connection reset by peer");
    world.settle();
    world.set_all_phases(i == 0 ? "Running" : "Failed");
  }
  EXPECT_EQ(world.phase(), "Failed");
  const std::string told = world.told("Failed").at(0);
  EXPECT_TRUE(told.starts_with("Pod[mnist-40c14-worker-2]")) << told;
  EXPECT_NE(told.find("at 2026-03-01T10:00:15.000000Z"), std::string::npos) << told;
  EXPECT_EQ(told.find("10:00:05"), std::string::npos) << told;
}

TEST(Cause, AFailureLongAgoIsNoCause) {
  World world = running();
  fail(world, "worker-2", 1, "10:00:05.250000", "");
  world.settle();
  world.now += 2h;
  fail(world, "worker-0", 1, "12:00:05.000000", "");
  world.settle();
  EXPECT_EQ(world.told("Failed").at(0).find("worker-2"), std::string::npos);
}

TEST(Cause, SaysSoWhenOnlyTorchrunsReportIsKnown) {
  World world = running();
  world.end_pod("worker-0", 1);
  terminated(world, "worker-0").get_object()["message"] =
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n====\nfit.py FAILED\n";
  world.settle();
  EXPECT_TRUE(world.told("Failed").at(0).ends_with(
      "; its last lines are torchrun's report only: see its log for what went wrong"))
      << world.told("Failed").at(0);
}

TEST(Cause, OfOneThatDidNotStartItTellsWhyToTheLastWord) {
  World world = running();
  const std::string why =
      "its namespaces cannot be made: " + std::string(400, 'x') + "; allow them";
  fail(world, "worker-0", 128, "10:00:05.000000", why.substr(0, 100));
  terminated(world, "worker-0").get_object()["reason"] = "StartError";
  terminated(world, "worker-0").get_object()["message"] = why;
  world.settle();
  EXPECT_TRUE(world.told("Failed").at(0).ends_with("; it did not start: " + why))
      << world.told("Failed").at(0);
}

TEST(Cause, NamesTheContainerWhereThereAreSeveral) {
  World world = running();
  Json& spec = world.pods.at(world.pod_name("worker-0")).at("spec");
  spec.at("containers").get_array().push_back({{"name", "side"}});
  fail(world, "worker-0", 1, "10:00:05.123456", "");
  world.settle();
  EXPECT_NE(world.told("Failed").at(0).find("error code 1 in container main on node-0"),
            std::string::npos);
}

TEST(ShortCause, SaysWhoFailedHowAndInWhichWords) {
  Failure failure;
  failure.exit_code = 1;
  failure.line = "KeyError: 'lr'";
  EXPECT_EQ(short_of(failure, "worker-2"), "worker-2 failed (exit 1): KeyError: 'lr'");
  failure.exit_code = 139;
  failure.line.clear();
  EXPECT_EQ(short_of(failure, "worker-2"), "worker-2 failed (exit 139, which is 128 + SIGSEGV)");
  failure.container = "side";
  failure.alone = false;
  failure.exit_code = 137;
  failure.reason = "OOMKilled";
  failure.memory_limit = "512Mi";
  failure.line = "epoch 3";
  EXPECT_EQ(short_of(failure, "worker-2"),
            "worker-2 failed in container side (out of memory: its limit is 512Mi)");
  failure.reason = "StartError";
  failure.message = "no such program: trian.py";
  EXPECT_EQ(short_of(failure, "worker-2"), "worker-2 did not start: no such program: trian.py");
  Failure lost;
  lost.reason = "NodeLost";
  EXPECT_EQ(short_of(lost, "worker-2"), "worker-2 failed: NodeLost");
}

TEST(ShortCause, NamesTheReplicaWithoutItsJob) {
  EXPECT_EQ(replica_of_pod("mnist", "mnist-40c14-worker-2"), "worker-2");
  EXPECT_EQ(replica_of_pod("mnist", "mnist-worker-2"), "worker-2");
  EXPECT_EQ(replica_of_pod("mnist", "mnist-launcher"), "launcher");
  EXPECT_EQ(replica_of_pod("mnist", "mnist-40c14-launcher"), "launcher");
  EXPECT_EQ(replica_of_pod("mnist", "mnist-faced-0"), "faced-0");
  EXPECT_EQ(replica_of_pod("mnist", "another"), "another");
}

TEST(ShortCause, IsThatOfTheConditionsAndNothingWhereAllIsWell) {
  World world = running("OnFailure");
  EXPECT_EQ(short_cause(world.job), "");
  fail(world, "worker-1", 3, "10:00:05.000000", "ValueError: bad batch");
  world.settle();
  EXPECT_EQ(short_cause(world.job), "worker-1 failed (exit 3): ValueError: bad batch");
  world.set_all_phases("Running");
  world.settle();
  EXPECT_EQ(short_cause(world.job), "") << "it goes on";
}

TEST(Cause, PodsAskForTheEndOfTheirLogs) {
  World world(R"(
replicaSpecs:
- type: worker
  template:
    spec:
      initContainers: [{name: fetch}]
      containers: [{name: main}, {name: own, terminationMessagePolicy: File}]
)");
  world.settle();
  const Json& pod = world.pod("worker-0");
  const auto policy = [&](const char* list, std::size_t index) {
    return string_at(array_at(pod, list)[index], "terminationMessagePolicy");
  };
  EXPECT_EQ(policy("spec.initContainers", 0), "FallbackToLogsOnError");
  EXPECT_EQ(policy("spec.containers", 0), "FallbackToLogsOnError");
  EXPECT_EQ(policy("spec.containers", 1), "File") << "unless the user says otherwise";
}

}  // namespace
}  // namespace trainyard::jobs
