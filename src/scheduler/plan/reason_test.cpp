#include "scheduler/plan/reason.h"

#include "scheduler/plan/test_cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::scheduler {
namespace {

constexpr const char* kFake = "metadata: {annotations: {trainyard.dev/fake-gpus: '4'}}";

std::string member(const char* group) {
  return fmt::format("metadata: {{annotations: {{scheduling.k8s.io/group-name: {}}}}}", group);
}

TEST(Reason, NamesWhoHoldsWhatIsShortAndTheFlagThatWouldHelp) {
  TestCluster world;
  world.node("node-0", "{nvidia.com/gpu: 4}", kFake);
  world.group("a", 2);
  world.running("a-0", "{nvidia.com/gpu: 1}", "node-0", member("a"));
  world.running("a-1", "{nvidia.com/gpu: 1}", "node-0", member("a"));
  world.gang("b", 4, "{nvidia.com/gpu: 1}");
  EXPECT_EQ(
      world.said_to("b-3"),
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. job b needs 4 × "
      "nvidia.com/gpu, node-0 has 2 free of 4 (job a holds 2): waits for job a, or start with "
      "--fake-gpus 6.");
}

TEST(Reason, SaysWhenItCouldNeverFit) {
  TestCluster world;
  world.node("node-0", "{nvidia.com/gpu: 4}", kFake);
  world.gang("b", 8, "{nvidia.com/gpu: 1}");
  EXPECT_EQ(
      world.said_to("b-0"),
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. job b could never fit: needs 8 "
      "× nvidia.com/gpu, node-0 has 4: start with --fake-gpus 8, or ask for less or use fewer "
      "replicas.");
}

TEST(Reason, WithoutAnyGpuItSaysHowToTrainOnTheProcessor) {
  TestCluster world;
  world.node("node-0", "{memory: 8Gi}");
  world.pod("p", "{nvidia.com/gpu: 4}");
  EXPECT_EQ(
      world.said_to("p"),
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. pod p could never fit: needs 4 × "
      "nvidia.com/gpu, node-0 has 0: to train on the processor, take nvidia.com/gpu out of its "
      "resources and use gloo in place of nccl; to try out how jobs get GPUs, start with "
      "--fake-gpus 4.");
}

TEST(Reason, RealGpusCannotBeMadeByAFlag) {
  TestCluster world;
  world.node("node-0", "{nvidia.com/gpu: 4}");
  world.pod("p", "{nvidia.com/gpu: 8}");
  EXPECT_EQ(
      world.said_to("p"),
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. pod p could never fit: needs 8 "
      "× nvidia.com/gpu, node-0 has 4: ask for less.");
}

TEST(Reason, Memory) {
  TestCluster world;
  world.node("node-0", "{memory: 8Gi}");
  world.pod("p", "{memory: 900Ti}");
  EXPECT_EQ(world.said_to("p"),
            "0/1 nodes are available: 1 Insufficient memory. pod p could never fit: needs 900Ti "
            "of memory, node-0 has 8Gi: start with --overcommit-memory, or ask for less.");
  world.running("r", "{memory: 6Gi}", "node-0");
  world.pod("p", "{memory: 4Gi}");
  EXPECT_EQ(world.said_to("p"),
            "0/1 nodes are available: 1 Insufficient memory. pod p needs 4Gi of memory, node-0 has "
            "2Gi free of 8Gi (pod r holds 6Gi): waits for pod r, or start with "
            "--overcommit-memory.");
}

TEST(Reason, CountsWhatTheSamePlanHasPlaced) {
  TestCluster world;
  world.node("node-0", "{memory: 1Gi}");
  world.pod("p", "{memory: 1Gi}");
  world.pod("q", "{memory: 1Gi}");
  EXPECT_NE(world.said_to("q").find("node-0 has 0 free of 1Gi (pod p holds 1Gi): waits for pod p,"),
            std::string::npos)
      << world.said_to("q");
}

TEST(Reason, WaitsForTheSmallestThatIsEnough) {
  TestCluster world;
  world.node("node-0", "{nvidia.com/gpu: 8}");
  world.running("big", "{nvidia.com/gpu: 4}", "node-0");
  world.running("fair", "{nvidia.com/gpu: 2}", "node-0");
  world.running("tiny", "{nvidia.com/gpu: 1}", "node-0");
  world.pod("p", "{nvidia.com/gpu: 3}");
  EXPECT_NE(world.said_to("p").find(
                "node-0 has 1 free of 8 (pod big holds 4, pod fair holds 2, pod tiny holds 1): "
                "waits for pod fair."),
            std::string::npos)
      << world.said_to("p");
  world.pod("p", "{nvidia.com/gpu: 7}");
  EXPECT_NE(world.said_to("p").find("waits for pod big and pod fair."), std::string::npos)
      << world.said_to("p");
}

TEST(Reason, DoesNotTellWhatRunsInOtherNamespaces) {
  TestCluster world;
  world.node("node-0", "{nvidia.com/gpu: 2}");
  world.running("secret", "{nvidia.com/gpu: 2}", "node-0", "metadata: {namespace: other}");
  world.pod("p", "{nvidia.com/gpu: 1}");
  EXPECT_NE(world.said_to("p").find("node-0 has 0 free of 2 (others hold 2): waits for others to "
                                    "end."),
            std::string::npos)
      << world.said_to("p");
}

TEST(Reason, SeveralNodes) {
  TestCluster world;
  for (const char* name : {"node-0", "node-1", "node-2"}) {
    world.node(name, "{nvidia.com/gpu: 2}", kFake);
  }
  world.running("r", "{nvidia.com/gpu: 1}", "node-1");
  world.gang("b", 3, "{nvidia.com/gpu: 2}");
  EXPECT_EQ(world.said_to("b-0"),
            "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. job b needs 6 × "
            "nvidia.com/gpu, the 3 nodes that suit it have 5 free of 6 (pod r holds 1): waits for "
            "pod r, or give more nodes, or nodes with gpu=2 at least, in --nodes.");
  world.pod("p", "{nvidia.com/gpu: 4}");
  EXPECT_NE(world.said_to("p").find("could never fit: needs 4 × nvidia.com/gpu, 4 of them for one "
                                    "pod, and of the 3 nodes that suit it none has more than 2"),
            std::string::npos)
      << world.said_to("p");
}

TEST(Reason, CountsReasonsAsKubernetesDoes) {
  TestCluster world;
  world.node("a", "{memory: 1Gi}", "spec: {taints: [{key: only, value: gpu, effect: NoSchedule}]}");
  world.node("b", "{memory: 1Gi}");
  world.node("c", "{memory: 1Gi}");
  world.node("d", "{memory: 8Gi}", "spec: {unschedulable: true}");
  world.pod("p", "{memory: 2Gi}");
  EXPECT_EQ(world.said_to("p").find("0/4 nodes are available: 1 node(s) had untolerated taint "
                                    "{only: gpu}, 1 node(s) were unschedulable, 2 Insufficient "
                                    "memory."),
            0U)
      << world.said_to("p");
}

TEST(Reason, Cordons) {
  TestCluster world;
  world.node("node-0", "{}", "spec: {unschedulable: true}");
  world.pod("p", "{}");
  EXPECT_EQ(
      world.said_to("p"),
      "0/1 nodes are available: 1 node(s) were unschedulable. pod p waits: node-0 is cordoned "
      "(unschedulable), `kubectl uncordon node-0` opens it.");
}

TEST(Reason, Taints) {
  TestCluster world;
  world.node("node-0", "{}", "spec: {taints: [{key: only, value: gpu, effect: NoSchedule}]}");
  world.pod("p", "{}");
  EXPECT_EQ(world.said_to("p"),
            "0/1 nodes are available: 1 node(s) had untolerated taint {only: gpu}. pod p waits: "
            "node-0 has the taint only=gpu:NoSchedule, tolerate it or `kubectl taint node node-0 "
            "only:NoSchedule-`.");
}

TEST(Reason, Selectors) {
  TestCluster world;
  world.node("node-0", "{}");
  world.pod("p", "{}", "spec: {nodeSelector: {disk: fast}}");
  EXPECT_EQ(world.said_to("p"),
            "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. pod p "
            "waits: no node is disk=fast, `kubectl label node node-0 disk=fast` would let it in.");
}

TEST(Reason, NamesTheNodeThatComesClosest) {
  TestCluster world;
  world.node("a", "{}", "spec: {unschedulable: true, taints: [{key: k, effect: NoSchedule}]}");
  world.node("b", "{}", "spec: {unschedulable: true}");
  world.pod("p", "{}");
  EXPECT_NE(world.said_to("p").find("pod p waits: b is cordoned"), std::string::npos)
      << world.said_to("p");
}

TEST(Reason, WithoutNodes) {
  TestCluster world;
  world.pod("p", "{}");
  EXPECT_EQ(world.said_to("p"),
            "no nodes available to schedule pods. pod p waits for a node: a restart of the server "
            "registers this machine again.");
}

}  // namespace
}  // namespace trainyard::scheduler
