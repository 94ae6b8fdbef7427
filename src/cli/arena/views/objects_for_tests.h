#pragma once

#include "cli/arena/training_job.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

#include <string>

/// Objects as servers have them, for tests of what is told about them.
namespace trainyard::cli::arena {

inline ObjectPtr object_from(const std::string& yaml) {
  auto read = parse_yaml(yaml);
  return std::make_shared<const StoredObject>(read ? read->front() : Json(), 1);
}

/// 2024-05-06T09:30:00Z and so many seconds.
inline WallTime at(std::int64_t seconds) {
  return *parse_time("2024-05-06T09:30:00Z") + std::chrono::seconds(seconds);
}

struct PodSpec {
  std::string name;
  std::string role = "worker";
  std::string phase = "Running";
  std::string node_ip = "10.0.3.12";  // empty: not placed
  std::int64_t gpus = 1;
  std::int64_t index = 0;
  std::int64_t made = 1;
};

/// A pod of the job `resnet-ddp` in `vision`.
inline ObjectPtr pod_of(const PodSpec& spec, const std::string& type = "pytorchjob",
                        const std::string& job = "resnet-ddp") {
  std::string yaml =
      "metadata: {name: " + spec.name + ", namespace: vision, uid: uid-" + spec.name +
      ", creationTimestamp: '" + format_time(at(spec.made)) + "', labels: {release: " + job +
      ", app: " + type + ", training.kubeflow.org/job-name: " + job +
      ", training.kubeflow.org/replica-type: " + spec.role +
      ", training.kubeflow.org/replica-index: '" + std::to_string(spec.index) + "'}}\n";
  const bool placed = !spec.node_ip.empty();
  yaml += fmt::format(
      "spec: {{{}containers: [{{name: pytorch, resources: {{limits: {{nvidia.com/gpu: "
      "{}}}}}}}]}}\n",
      placed ? "nodeName: gpu-node-02, " : "", spec.gpus);
  yaml += fmt::format("status: {{phase: {}{}}}\n", spec.phase,
                      placed ? ", startTime: '2024-05-06T09:30:01Z', hostIP: " + spec.node_ip : "");
  return object_from(yaml);
}

/// `conditions` are the types of those that hold.
inline TrainingJob job_of(const std::string& type, const std::string& name,
                          const std::vector<std::string>& conditions,
                          std::vector<ObjectPtr> pods = {}, const std::string& more_status = "") {
  std::string yaml = "metadata: {name: " + name + ", namespace: vision, uid: uid-" + name +
                     ", creationTimestamp: '2024-05-06T09:30:00Z', labels: {release: " + name +
                     ", app: " + type + "}}\nspec: {}\nstatus:\n  conditions:\n";
  for (const std::string& condition : conditions) {
    yaml += "  - {type: " + condition + ", status: 'True'}\n";
  }
  yaml += more_status;
  return {training_type(type), object_from(yaml), std::move(pods)};
}

/// Runs with a master and two workers, of which the last waits for a place.
inline TrainingJob resnet() {
  return job_of(
      "pytorchjob", "resnet-ddp", {"Created", "Running"},
      {pod_of({.name = "resnet-ddp-master-0", .role = "master"}),
       pod_of({.name = "resnet-ddp-worker-0"}),
       pod_of({.name = "resnet-ddp-worker-1", .phase = "Pending", .node_ip = "", .index = 1})},
      "  startTime: '2024-05-06T09:30:01Z'\n");
}

}  // namespace trainyard::cli::arena
