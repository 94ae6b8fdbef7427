#pragma once

#include "workloads/apps/deployment_controller.h"
#include "workloads/apps/replica_set_controller.h"
#include "workloads/garbage_collector.h"
#include "workloads/test_world.h"

#include <memory>
#include <string>
#include <vector>

namespace trainyard::workloads {

/// Deployments, ReplicaSets and garbage collection over an API in memory, and a node that runs the
/// pods: those with the image "bad" never become ready.
class TestCluster {
 public:
  TestCluster();
  ~TestCluster();
  void restart();  // the controllers die and come back

  /// Moves the node and the clock on.
  void step(std::chrono::nanoseconds span = std::chrono::milliseconds(100));
  void run(std::chrono::nanoseconds span);

  void deploy(std::int64_t replicas, const std::string& image, JsonObject spec = {});
  /// A merge patch of the spec, as a user would send it.
  void change(Json spec);
  Json deployment() const;
  std::vector<ObjectPtr> sets() const { return world.api.all(kSets); }
  std::vector<ObjectPtr> active_pods() const;
  std::int64_t count_ready() const;
  /// How many active pods run that image.
  std::int64_t count_image(const std::string& image) const;
  bool has_event(const std::string& reason, const std::string& part_of_message) const;

  TestWorld world;
  /// Called for each pod that is not ready and could become so; false: not yet.
  std::function<bool()> becomes_ready = [] { return true; };
  /// Called for each pod that shall end; false: not yet.
  std::function<bool()> has_ended = [] { return true; };

 private:
  inline static const Resource kSets{"apps", "v1", "replicasets"};
  void begin();
  void end();
  void work_as_node();

  std::unique_ptr<ServedKinds> kinds_;
  std::unique_ptr<GarbageCollector> garbage_;
  std::unique_ptr<ReplicaSetController> sets_;
  std::unique_ptr<DeploymentController> deployments_;
};

}  // namespace trainyard::workloads
