#pragma once

#include "jobs/engine/test_world.h"
#include "jobs/kubeflow/kubeflow_mpi_job.h"
#include "jobs/kubeflow/pytorch_job.h"
#include "jobs/kubeflow/tf_job.h"

#include <fmt/format.h>

/// For tests: jobs of Kubeflow's kinds.
namespace trainyard::jobs {

inline const PyTorchJob kPyTorchJob;
inline const TFJob kTFJob;
inline const KubeflowMpiJob kKubeflowMpiJob;

/// A group such as "Worker: {replicas: 2}", with a template.
inline std::string role(const std::string& head, std::string_view container) {
  return fmt::format(
      "  {}{}template: {{spec: {{containers: [{{name: {}, image: i, command: [train]}}]}}}}}}\n",
      head.substr(0, head.size() - 1), head.ends_with("{}") ? "" : ", ", container);
}

inline World pytorch_job(const std::vector<std::string>& roles, const std::string& policy = "{}",
                         const std::string& more = "") {
  std::string spec = fmt::format("runPolicy: {}\n{}pytorchReplicaSpecs:\n", policy, more);
  for (const std::string& one : roles) spec += role(one, "pytorch");
  return World(kPyTorchJob, spec);
}

inline World tf_job(const std::vector<std::string>& roles, const std::string& policy = "{}",
                    const std::string& more = "") {
  std::string spec = fmt::format("runPolicy: {}\n{}tfReplicaSpecs:\n", policy, more);
  for (const std::string& one : roles) spec += role(one, "tensorflow");
  return World(kTFJob, spec);
}

/// Two workers and a launcher; the fields of the launcher's and the worker's containers.
inline World mpi_job(const std::string& policy = "{}", const std::string& more = "",
                     const std::string& launcher = "command: [mpirun, -n, '2', pi]",
                     const std::string& worker = "name: w", const std::string& restart = "") {
  return World(kKubeflowMpiJob,
               fmt::format("runPolicy: {}\n{}mpiReplicaSpecs:\n"
                           "  Launcher: {{{}template: {{spec: {{containers: [{{name: l, image: i, "
                           "{}}}]}}}}}}\n"
                           "  Worker: {{replicas: 2, template: {{spec: {{containers: [{{image: i, "
                           "{}}}]}}}}}}\n",
                           policy, more, restart, launcher, worker));
}

/// The environment of a pod's first container, as NAME=VALUE lines.
inline std::string env_of(const World& world, const std::string& pod) {
  std::string text;
  for (const Json& one : array_at(array_at(world.pod(pod), "spec.containers")[0], "env")) {
    text += fmt::format("{}={}\n", string_at(one, "name"), string_at(one, "value"));
  }
  return text;
}

/// The types of the conditions that hold, in order.
inline std::string holding(const World& world) {
  std::string text;
  for (const Json& one : array_at(world.status(), "conditions")) {
    if (string_at(one, "status") != "True") continue;
    text += (text.empty() ? "" : " ") + std::string(string_at(one, "type"));
  }
  return text;
}

}  // namespace trainyard::jobs
