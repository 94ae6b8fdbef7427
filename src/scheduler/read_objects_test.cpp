#include "scheduler/read_objects.h"

#include "object/yaml/yaml.h"
#include "scheduler/pod_needs.h"

#include <gtest/gtest.h>

namespace trainyard::scheduler {
namespace {

class ReadTest : public testing::Test {
 protected:
  static ObjectPtr object(const std::string& yaml) {
    return std::make_shared<const StoredObject>(parse_yaml(yaml)->front(), 1);
  }
  Amounts requests(const std::string& spec) {
    return read_requests(parse_yaml("spec: " + spec)->front(), names_);
  }

  ResourceNames names_;
  ObjectReader reader_{names_};
};

TEST_F(ReadTest, SumsContainersAndCountsThePodItself) {
  const Amounts sum = requests(
      "{containers: [{resources: {requests: {cpu: 500m, memory: 1Gi}}}, "
      "{resources: {requests: {cpu: 1, nvidia.com/gpu: 2}}}]}");
  EXPECT_EQ(sum[kCpu], 1500);
  EXPECT_EQ(sum[kMemory], 1 << 30);
  EXPECT_EQ(sum[kGpu], 2);
  EXPECT_EQ(sum[kPodCount], 1);
}

TEST_F(ReadTest, AnInitContainerCountsWhenItAsksForMore) {
  EXPECT_EQ(requests("{initContainers: [{resources: {requests: {cpu: 3}}}], containers: "
                     "[{resources: {requests: {cpu: 1}}}]}")[kCpu],
            3000);
  EXPECT_EQ(
      requests("{initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}, "
               "{resources: {requests: {cpu: 3}}}], containers: [{resources: {requests: {cpu: "
               "1}}}]}")[kCpu],
      4000)
      << "the first runs on beside the second";
}

TEST_F(ReadTest, OverheadAndRequestsOfThePodAsAWhole) {
  EXPECT_EQ(requests("{overhead: {cpu: 250m}, resources: {requests: {cpu: 2}}, containers: "
                     "[{resources: {requests: {cpu: 1}}}]}")[kCpu],
            2250);
}

TEST_F(ReadTest, AmountsThatNobodyHasDoNotOverflow) {
  const Amounts sum = requests(
      "{containers: [{resources: {requests: {memory: 8E}}}, {resources: {requests: {memory: "
      "8E}}}]}");
  EXPECT_EQ(sum[kMemory], kMostAmount);
}

TEST_F(ReadTest, PodsThatAskForTheSameShareTheirNeeds) {
  const auto pod = [&](const char* name, const char* spec) {
    return reader_.read_pod(object(std::string("{metadata: {name: ") + name + ", labels: {i: '" +
                                   name + "'}}, spec: " + spec + "}"));
  };
  const PodView a = pod("a", "{nodeSelector: {x: y}, containers: [{name: a}]}");
  const PodView b = pod("b", "{nodeSelector: {x: y}, containers: [{name: b}]}");
  const PodView c = pod("c", "{nodeSelector: {x: z}, containers: [{name: c}]}");
  EXPECT_EQ(a.needs, b.needs);
  EXPECT_NE(a.needs, c.needs);
  const char* apart =
      "{containers: [{}], affinity: {podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}}";
  EXPECT_NE(pod("d", apart).needs, pod("e", apart).needs) << "they may mean those like themselves";
}

TEST_F(ReadTest, ReadsWhatMattersOfAPod) {
  const PodView pod = reader_.read_pod(object(R"(
metadata:
  name: p
  namespace: demo
  uid: u
  deletionTimestamp: 2026-03-01T10:00:00Z
  annotations: {scheduling.k8s.io/group-name: g, trainyard.dev/gpus: "0,12"}
spec: {nodeName: node-1, priority: 7, schedulerName: other, schedulingGates: [{name: x}]}
status: {phase: Failed}
)"));
  EXPECT_EQ(pod.group, "g");
  EXPECT_EQ(pod.gpus, (std::vector<int>{0, 12}));
  EXPECT_EQ(pod.node, "node-1");
  EXPECT_EQ(pod.priority, 7);
  EXPECT_TRUE(pod.ended && pod.being_deleted && pod.gated);
  EXPECT_FALSE(pod.ours);
}

TEST_F(ReadTest, AGroupAsksForAllMembersOfItsTasks) {
  const auto none = [](const std::string&) -> std::optional<std::int64_t> { return std::nullopt; };
  EXPECT_EQ(
      ObjectReader::read_group(
          parse_yaml("spec: {minMember: 1, minTaskMember: {master: 1, worker: 3}}")->front(), none)
          .min_members,
      4);
}

TEST_F(ReadTest, MatchLabelKeysTakeThePodsOwnValues) {
  const Needs needs = read_rules(
      parse_yaml("{metadata: {labels: {rev: '3'}}, spec: {topologySpreadConstraints: [{maxSkew: 1, "
                 "topologyKey: zone, labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [rev, "
                 "none]}]}}")
          ->front());
  EXPECT_EQ(to_words(*needs.spreads[0].selector), "app=a,rev=3");
}

}  // namespace
}  // namespace trainyard::scheduler
