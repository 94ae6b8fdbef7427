// What a decision of the scheduler costs on a large cluster: scheduler_bench [NODES] [PODS]
//
// Each line is one plan: everything that waits is looked at, placed or given its reason.
#include "base/clock.h"
#include "scheduler/plan/placement.h"
#include "scheduler/read_objects.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

namespace trainyard::bench {
namespace {

using scheduler::Cluster;
using scheduler::ObjectReader;
using scheduler::SchedulePlan;

constexpr int kGpusANode = 16;

/// A cluster of equal nodes with pods spread over them.
class World {
 public:
  World(int nodes, int pods) {
    for (int i = 0; i < nodes; ++i) {
      const std::string name = fmt::format("node-{:05}", i);
      cluster_.set_node(reader_.read_node(
          {{"metadata", {{"name", name}, {"labels", {{"zone", fmt::format("z{}", i % 10)}}}}},
           {"status",
            {{"allocatable",
              {{"cpu", "64"},
               {"memory", "512Gi"},
               {"pods", "110"},
               {"nvidia.com/gpu", kGpusANode}}},
             {"conditions", JsonArray{{{"type", "Ready"}, {"status", "True"}}}}}}}));
    }
    for (int i = 0; i < pods; ++i) {
      add_pod(fmt::format("running-{:06}", i), 1, "", fmt::format("node-{:05}", i % nodes));
    }
  }

  void add_gang(const std::string& name, int members, int gpus) {
    cluster_.set_group(
        ObjectReader::read_group({{"metadata", {{"name", name}, {"namespace", "bench"}}},
                                  {"spec", {{"minMember", members}}}},
                                 [](const std::string&) { return std::nullopt; }));
    for (int i = 0; i < members; ++i) add_pod(fmt::format("{}-{}", name, i), gpus, name, "");
  }

  void add_pod(const std::string& name, int gpus, const std::string& group,
               const std::string& node) {
    Json pod{{"metadata", {{"name", name}, {"namespace", "bench"}, {"uid", name}}},
             {"spec",
              {{"containers",
                JsonArray{{{"resources",
                            {{"requests", {{"memory", "4Gi"}, {"nvidia.com/gpu", gpus}}}}}}}}}}};
    if (!group.empty()) {
      make_path(pod, "metadata.annotations") = JsonObject{{scheduler::kGroupAnnotation, group}};
    }
    if (!node.empty()) make_path(pod, "spec.nodeName") = node;
    cluster_.set_pod(reader_.read_pod(std::make_shared<const StoredObject>(std::move(pod), 1)));
  }

  void remove_pod(const std::string& name) { cluster_.remove_pod(Key{"bench", name}); }

  void measure(const std::string& what) {
    const TimePoint start = clock_.now();
    const SchedulePlan plan = scheduler::plan_placements(cluster_);
    const std::chrono::duration<double, std::milli> took = clock_.now() - start;
    std::size_t placed = 0;
    for (const scheduler::Placed& gang : plan.placed) placed += gang.pods.size();
    fmt::print("{:60} {:9.1f} ms   {} placed, {} gangs wait\n", what, took.count(), placed,
               plan.waiting.size());
  }

 private:
  SystemClock clock_;
  Cluster cluster_;
  ObjectReader reader_{cluster_.resources()};
};

void run(int nodes, int pods) {
  fmt::print("{} nodes with {} GPUs each, {} pods that run\n", nodes, kGpusANode, pods);
  {
    World world(nodes, pods);
    world.add_gang("train", 1000, 1);
    world.measure("a gang of 1,000 that fits");
  }
  {
    World world(nodes, pods);
    world.add_gang("large", 10'000, 16);
    world.measure("a gang of 10,000 that does not fit, with its reason");
  }
  {
    World world(nodes, pods);
    for (int i = 0; i < 1000; ++i) world.add_gang(fmt::format("g{}", i), 8, 2);
    world.measure("1,000 gangs of 8");
  }
  {
    World world(nodes, 0);
    for (int i = 0; i < pods; ++i) world.add_pod(fmt::format("p{}", i), 1 + i % 2, "", "");
    world.measure("as many pods that stand alone and wait, of two kinds");
  }
  {
    World world(nodes, pods);
    for (int i = 0; i < pods; ++i) world.add_pod(fmt::format("p{}", i), 17, "", "");
    world.measure("as many pods that fit nowhere");
  }
}

}  // namespace
}  // namespace trainyard::bench

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const int pods = argc > 2 ? std::atoi(argv[2]) : 100'000;
  trainyard::bench::run(nodes, pods);
  return 0;
}
