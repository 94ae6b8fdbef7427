#include "cli/arena/nodes/node_view.h"

#include "cli/arena/views/objects_for_tests.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

ObjectPtr node(const std::string& name, const std::string& ip, const std::string& gpus,
               const std::string& more = "", bool ready = true) {
  return object_from("metadata: {name: " + name + (more.empty() ? "" : ", " + more) +
                     "}\nstatus: {capacity: {nvidia.com/gpu: '" + gpus +
                     "'}, addresses: [{type: InternalIP, address: " + ip +
                     "}], conditions: [{type: Ready, status: '" + (ready ? "True" : "Unknown") +
                     "'}]}");
}

ObjectPtr pod_on(const std::string& node_name, const std::string& name,
                 const std::string& phase = "Running") {
  return object_from("metadata: {namespace: vision, name: " + name +
                     "}\nspec: {nodeName: " + node_name +
                     ", containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
                     "status: {phase: " +
                     phase + "}");
}

std::vector<NodeUse> some_nodes() {
  return node_uses(
      {node("cp-01", "10.0.3.1", "0",
            "labels: {node-role.kubernetes.io/master: '', kubernetes.io/os: linux}"),
       node("gpu-node-02", "10.0.3.12", "2"), node("gpu-node-03", "10.0.3.13", "2", "", false)},
      {pod_on("gpu-node-02", "resnet-ddp-worker-0"), pod_on("gpu-node-02", "resnet-ddp-master-0"),
       pod_on("gpu-node-03", "done", "Succeeded"), pod_on("gpu-node-03", "failed", "Failed")});
}

TEST(NodeTable, CountsGpusAndTellsThoseOfNodesThatAreReadyApart) {
  EXPECT_EQ(node_table(some_nodes(), true),
            "NAME         IPADDRESS  ROLE    STATUS    GPU(Total)  GPU(Allocated)\n"
            "cp-01        10.0.3.1   master  ready     0           0\n"
            "gpu-node-02  10.0.3.12  <none>  ready     2           2\n"
            "gpu-node-03  10.0.3.13  <none>  notReady  2           0\n" +
                std::string(89, '-') +
                "\n"
                "Allocated/Total GPUs In Cluster:\n"
                "2/4 (50%)\n"
                "Allocated/Total GPUs(Active) In Cluster:\n"
                "2/2 (100%)\n");
}

TEST(NodeTable, ShowsGpusThatAreBroken) {
  const ObjectPtr sick = object_from(
      "metadata: {name: k}\nstatus: {capacity: {nvidia.com/gpu: 3}, allocatable: {nvidia.com/gpu: "
      "2}, conditions: [{type: Ready, status: 'True'}]}");
  EXPECT_EQ(node_table(node_uses({sick}, {}), true),
            "NAME  IPADDRESS  ROLE    STATUS  GPU(Total)  GPU(Allocated)  GPU(Unhealthy)\n"
            "k     unknown    <none>  ready   3           0               1\n" +
                std::string(99, '-') +
                "\n"
                "Allocated/Total GPUs In Cluster:\n"
                "0/3 (0%)\n"
                "Unhealthy/Total GPUs In Cluster:\n"
                "1/3 (33%)\n");
}

TEST(NodeTable, ShowsWhichGpusCanBeShared) {
  const ObjectPtr shared = object_from(
      "metadata: {name: k}\nstatus: {capacity: {aliyun.com/gpu-mem: 15}, conditions: [{type: "
      "Ready, status: 'True'}]}");
  const std::string text = node_table(node_uses({shared, node("m", "1.1.1.1", "1")}, {}), true);
  EXPECT_TRUE(text.starts_with(
      "NAME  IPADDRESS  ROLE    STATUS  GPU(Total)  GPU(Allocated)  GPU(Shareable)\n"
      "k     unknown    <none>  ready   0           0               Yes\n"
      "m     1.1.1.1    <none>  ready   1           0               No\n" +
      std::string(96, '-') + "\n"))
      << text;
}

TEST(WideNodeTable, HasNodesWithoutGpusFirstAndTenthsOfPercents) {
  std::vector<NodeUse> uses =
      node_uses({node("a", "1.1.1.1", "3"), node("b", "1.1.1.2", "0"),
                 object_from("metadata: {name: c}\nspec: {unschedulable: true}\nstatus: {}")},
                {pod_on("a", "p")});
  EXPECT_EQ(wide_node_table(uses, true),
            "NAME  IPADDRESS  ROLE    STATUS                       GPU(Total)  GPU(Allocated)\n"
            "b     1.1.1.2    <none>  Ready                        0           0\n"
            "c     unknown    <none>  NotReady,SchedulingDisabled  0           0\n"
            "a     1.1.1.1    <none>  Ready                        3           1\n" +
                std::string(99, '-') +
                "\n"
                "Allocated/Total GPUs In Cluster:\n"
                "1/3 (33.3%)\n");
}

TEST(NodeDetails, ListsThePodsThatHaveGpus) {
  const auto uses = choose_nodes(some_nodes(), {"gpu-node-02"}, std::nullopt);
  ASSERT_TRUE(uses);
  EXPECT_EQ(node_details(*uses),
            "\n"
            "\n"
            "NAME:       gpu-node-02\n"
            "IPADDRESS:  10.0.3.12\n"
            "ROLE:       <none>\n"
            "\n"
            "NAMESPACE  NAME                 GPU REQUESTS\n"
            "vision     resnet-ddp-master-0  1\n"
            "vision     resnet-ddp-worker-0  1\n"
            "\n"
            "Total GPUs In Node gpu-node-02:      2\n"
            "Allocated GPUs In Node gpu-node-02:  2 (100%)\n" +
                std::string(89, '-') +
                "\n"
                "\n"
                "\n"
                "Allocated/Total GPUs In Cluster:  2/2 (100%)\n");
}

TEST(ChooseNodes, KnowsNamesAndModes) {
  EXPECT_EQ(choose_nodes(some_nodes(), {"cp-01", "x"}, std::nullopt).error().message(),
            "there is no node x: `arena top node` shows all");
  const auto exclusive = choose_nodes(some_nodes(), {}, GpuMode::kExclusive);
  ASSERT_TRUE(exclusive);
  EXPECT_EQ(exclusive->size(), 2U);
  EXPECT_EQ(**parse_gpu_mode("e"), GpuMode::kExclusive);
  EXPECT_FALSE(parse_gpu_mode("x"));
}

TEST(NodesJson, SortsNodesByMode) {
  const Json nodes = nodes_json(some_nodes());
  EXPECT_EQ(array_at(nodes, "normalNodes").size(), 1U);
  ASSERT_EQ(array_at(nodes, "gpuExclusiveNodes").size(), 2U);
  const Json& first = array_at(nodes, "gpuExclusiveNodes")[0];
  EXPECT_EQ(int_at(first, "allocatedGPUs"), 2);
  EXPECT_EQ(string_at(array_at(first, "instances")[0], "name"), "resnet-ddp-master-0");
}

TEST(NodeRoles, AreSortedAndJoined) {
  EXPECT_EQ(node_roles(object_from("metadata: {labels: {kubernetes.io/role: agent, "
                                   "node-role.kubernetes.io/worker: '', "
                                   "node-role.kubernetes.io/control-plane: ''}}")
                           ->body()),
            "agent,control-plane,worker");
}

}  // namespace
}  // namespace trainyard::cli::arena
