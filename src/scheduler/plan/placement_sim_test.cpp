#include "scheduler/plan/placement.h"
#include "scheduler/plan/suitability.h"
#include "scheduler/plan/test_cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

namespace trainyard::scheduler {
namespace {

/// A random cluster with random gangs, some of which run.
class RandomWorld {
 public:
  explicit RandomWorld(unsigned seed) : dice_(seed) {
    const int nodes = pick(1, 8);
    for (int i = 0; i < nodes; ++i) add_node(i);
    const int gangs = pick(1, 25);
    for (int i = 0; i < gangs; ++i) add_gang(i);
  }

  /// Carries the plan out, then lets some pods end, come and go.
  void go_on(const SchedulePlan& plan) {
    for (const Placed& placed : plan.placed) {
      for (const Placement& placement : placed.pods) {
        PodView pod = *world.cluster.find_pod(placement.pod);
        pod.node = placement.node;
        pod.gpus = placement.gpus;
        world.cluster.set_pod(std::move(pod));
      }
    }
    for (const auto& [name, node] : std::map(world.cluster.nodes())) {
      for (const PodView* running : std::set(node.pods)) {
        if (!chance(30)) continue;
        PodView pod = *running;
        pod.ended = true;
        world.cluster.set_pod(std::move(pod));
      }
    }
    add_gang(made_++);
  }

  TestCluster world;

 private:
  int pick(int least, int most) { return std::uniform_int_distribution<>(least, most)(dice_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  void add_node(int i) {
    std::string spec = chance(10) ? "unschedulable: true" : "";
    if (chance(15)) spec = "taints: [{key: only, value: gpu, effect: NoSchedule}]";
    world.node(
        fmt::format("n{}", i),
        fmt::format("{{memory: {}Gi, pods: {}, nvidia.com/gpu: {}}}", pick(1, 32), pick(1, 12),
                    pick(0, 4)),
        fmt::format("{{metadata: {{labels: {{zone: z{}}}}}, spec: {{{}}}}}", pick(0, 2), spec));
  }

  void add_gang(int i) {
    std::string spec = fmt::format("priority: {}", pick(0, 3));
    if (chance(20)) spec += ", tolerations: [{operator: Exists}]";
    if (chance(20)) spec += fmt::format(", nodeSelector: {{zone: z{}}}", pick(0, 2));
    if (chance(10)) {
      spec +=
          ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
          "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {lone: 'yes'}}}]}}";
    }
    const std::string more = fmt::format("{{metadata: {{labels: {{lone: '{}'}}}}, spec: {{{}}}}}",
                                         chance(20) ? "yes" : "no", spec);
    const std::string requests = fmt::format("{{memory: {}Gi, nvidia.com/gpu: {}}}", pick(0, 6),
                                             chance(40) ? pick(1, 2) : 0);
    if (chance(40)) {
      world.pod(fmt::format("p{}", i), requests, more);
    } else {
      world.gang(fmt::format("g{}", i), pick(1, 6), requests, more);
    }
  }

  std::mt19937 dice_;
  int made_ = 1000;
};

void expect_whole_gangs(const Cluster& cluster, const SchedulePlan& plan) {
  for (const Placed& placed : plan.placed) {
    const Cluster::Gang& gang = *cluster.find_gang(placed.gang);
    const std::int64_t least = gang.group ? gang.group->min_members : 1;
    EXPECT_GE(std::ssize(placed.pods) + std::ssize(gang.placed), least) << placed.gang.name;
  }
}

/// Every pending pod is placed or gets a reason, once.
void expect_an_answer_for_all(const Cluster& cluster, const SchedulePlan& plan) {
  std::map<Key, int> answers;
  for (const Placed& placed : plan.placed) {
    for (const Placement& pod : placed.pods) ++answers[pod.pod];
  }
  for (const Waiting& waiting : plan.waiting) {
    EXPECT_FALSE(waiting.text().empty());
    for (const Key& pod : waiting.pods) ++answers[pod];
  }
  std::size_t pending = 0;
  for (const GangKey& gang : cluster.waiting()) {
    for (const auto& [key, pod] : cluster.find_gang(gang)->pending) {
      ++pending;
      EXPECT_EQ(answers[key], 1) << key.name;
    }
  }
  EXPECT_EQ(answers.size(), pending);
}

void expect_rules_kept(const Cluster& cluster, const SchedulePlan& plan) {
  std::map<std::string, Amounts> used;
  std::map<std::string, std::multiset<int>> gpus;
  for (const auto& [name, node] : cluster.nodes()) {
    used[name] = node.used;
    for (const PodView* pod : node.pods) gpus[name].insert(pod->gpus.begin(), pod->gpus.end());
  }
  for (const Placed& placed : plan.placed) {
    for (const Placement& placement : placed.pods) {
      const Needs& needs = *cluster.find_pod(placement.pod)->needs;
      const NodeView& node = *cluster.find_node(placement.node);
      EXPECT_EQ(check_node(node, needs).refusal, Refusal::kNone) << placement.pod.name;
      Amounts& sum = used[placement.node];
      sum.resize(std::max(sum.size(), needs.requests.size()));
      for (ResourceId id = 0; id < needs.requests.size(); ++id) sum[id] += needs.requests[id];
      EXPECT_EQ(std::ssize(placement.gpus), amount_of(needs.requests, kGpu));
      gpus[placement.node].insert(placement.gpus.begin(), placement.gpus.end());
    }
  }
  for (const auto& [name, sum] : used) {
    for (ResourceId id = kMemory; id < sum.size(); ++id) {
      EXPECT_LE(sum[id], amount_of(cluster.find_node(name)->allocatable, id)) << name;
    }
    for (const int gpu : gpus[name]) EXPECT_EQ(gpus[name].count(gpu), 1U) << name;
  }
}

/// A pod that keeps apart shares its node with nobody of the kind that it keeps away from.
void expect_kept_apart(const Cluster& cluster, const SchedulePlan& plan) {
  std::map<std::string, std::vector<const PodView*>> on;
  for (const auto& [name, node] : cluster.nodes()) {
    on[name].assign(node.pods.begin(), node.pods.end());
  }
  std::set<const PodView*> fresh;
  for (const Placed& placed : plan.placed) {
    for (const Placement& placement : placed.pods) {
      on[placement.node].push_back(cluster.find_pod(placement.pod));
      fresh.insert(on[placement.node].back());
    }
  }
  for (const auto& [name, pods] : on) {
    for (const PodView* a : pods) {
      for (const PodView* b : pods) {
        if (a == b || a->needs->apart.empty() || (!fresh.contains(a) && !fresh.contains(b)))
          continue;
        EXPECT_NE(b->labels->at("lone").get_string(), "yes") << name << ": " << a->key.name;
      }
    }
  }
}

/// Who waits for room while somebody behind it was placed could not have used that room: a pod that
/// asks for exactly the same, with lower rank, is never placed instead.
void expect_priority_first(const Cluster& cluster, const SchedulePlan& plan) {
  for (const Waiting& waiting : plan.waiting) {
    if (!waiting.gang.alone || waiting.cause != Waiting::Cause::kUnschedulable) continue;
    const PodView& waits = *cluster.find_pod(waiting.pods.front());
    if (waits.needs->depends_on_pods() || !cluster.loners().empty()) continue;
    for (const Placed& placed : plan.placed) {
      if (!placed.gang.alone) continue;
      const PodView& went = *cluster.find_pod(placed.pods.front().pod);
      if (went.needs != waits.needs) continue;
      EXPECT_GE(went.priority, waits.priority) << went.key.name << " before " << waits.key.name;
    }
  }
}

std::string text_of(const SchedulePlan& plan) {
  std::string text;
  for (const Placed& placed : plan.placed) {
    for (const Placement& pod : placed.pods) text += fmt::format("{}→{};", pod.pod, pod.node);
  }
  for (const Waiting& waiting : plan.waiting) text += waiting.gang.name + waiting.text() + ";";
  return text;
}

TEST(PlacementSim, KeepsItsPromisesInRandomClusters) {
  const char* given = std::getenv("SIM_SEED");
  const unsigned first = given != nullptr ? static_cast<unsigned>(std::atoi(given)) : 1;
  const unsigned count = given != nullptr ? 1 : 100;
  for (unsigned seed = first; seed < first + count; ++seed) {
    RandomWorld world(seed);
    for (int round = 0; round < 6; ++round) {
      const Cluster& cluster = world.world.cluster;
      const SchedulePlan plan = world.world.plan();
      EXPECT_EQ(text_of(plan), text_of(world.world.plan())) << "the same every time";
      expect_whole_gangs(cluster, plan);
      expect_an_answer_for_all(cluster, plan);
      expect_rules_kept(cluster, plan);
      expect_kept_apart(cluster, plan);
      expect_priority_first(cluster, plan);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "replay with SIM_SEED=" << seed;
      world.go_on(plan);
    }
  }
}

}  // namespace
}  // namespace trainyard::scheduler
