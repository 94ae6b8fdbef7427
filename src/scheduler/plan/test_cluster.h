#pragma once

#include "scheduler/plan/placement.h"
#include "scheduler/read_objects.h"

#include <map>
#include <string>

namespace trainyard::scheduler {

/// For tests: a cluster made of objects as users write them, and the plan for it.
class TestCluster {
 public:
  /// `resources`: YAML such as "{memory: 8Gi, nvidia.com/gpu: 4}"; "pods" is 100 unless said.
  /// `more`: YAML that is merged over the Node, such as "spec: {unschedulable: true}".
  void node(const std::string& name, const std::string& resources, const std::string& more = "{}");
  /// A pod with one container that asks for `requests`.
  void pod(const std::string& name, const std::string& requests, const std::string& more = "{}");
  /// One that runs there.
  void running(const std::string& name, const std::string& requests, const std::string& node,
               const std::string& more = "{}");
  /// A PodGroup and its pods, NAME-0 and so on.
  void gang(const std::string& name, int members, const std::string& requests,
            const std::string& more = "{}");
  /// Without pods.
  void group(const std::string& name, int min_member, const std::string& more = "{}");

  SchedulePlan plan() const { return plan_placements(cluster, rules); }
  /// The nodes of all pods that the plan places.
  std::map<std::string, std::string> placed() const;
  /// What is said to the pod of that name; empty when nothing.
  std::string said_to(const std::string& pod) const;

  Cluster cluster;
  Rules rules;

 private:
  void add_pod(const std::string& name, const std::string& requests, const std::string& more,
               const std::string& extra);
  ObjectReader reader_{cluster.resources()};
  int made_ = 0;  // what is made later is younger
};

}  // namespace trainyard::scheduler
