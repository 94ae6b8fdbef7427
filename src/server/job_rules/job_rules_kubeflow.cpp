#include "base/words/text.h"
#include "server/job_rules/job_rule_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

/// The rules of Kubeflow's kinds: what its own admission checks, and what would only come to light
/// when the pods are made.
namespace trainyard::server {
namespace {

constexpr const char* kMultiKueue = "kueue.x-k8s.io/multikueue";

/// The groups of a map from role to replica spec. Kubeflow names pods <job>-<role>-<index>.
std::vector<PodsOfType> groups_of(const Json& job, const std::string& path) {
  std::vector<PodsOfType> groups;
  for (const auto& entry : object_at(job, path)) {
    PodsOfType group;
    group.type = std::string(entry.key());
    group.path = fmt::format("{}[{}]", path, group.type);
    group.replicas = int_at(entry.value(), "replicas", 1);
    group.pod = find(entry.value(), "template.spec");
    group.longest_suffix = indexed_suffix(lower(group.type), group.replicas);
    groups.push_back(std::move(group));
  }
  return groups;
}

void check_roles(const std::vector<PodsOfType>& groups, const std::vector<std::string_view>& roles,
                 Findings& findings) {
  for (const PodsOfType& group : groups) {
    if (std::find(roles.begin(), roles.end(), group.type) == roles.end()) {
      findings.unsupported(group.path, Json(group.type), roles);
    }
  }
}

void check_images(const std::vector<PodsOfType>& groups, Findings& findings) {
  for (const PodsOfType& group : groups) {
    if (group.pod == nullptr) continue;
    std::size_t index = 0;
    for (const Json& container : array_at(*group.pod, "containers")) {
      const std::size_t position = index++;
      if (!string_at(container, "image").empty()) continue;
      findings.required(fmt::format("{}.template.spec.containers[{}].image", group.path, position),
                        "every container needs an image");
    }
  }
}

void check_alone(const std::vector<PodsOfType>& groups, std::string_view role, Findings& findings) {
  const PodsOfType* group = find_group(groups, role);
  if (group == nullptr || group->replicas == 1) return;
  findings.invalid(group->path + ".replicas", group->replicas,
                   fmt::format("must be 1: a job has one {}", role));
}

void check_run_policy(const Json& job, std::string_view controller, Findings& findings) {
  if (const Json* manager = find(job, "spec.runPolicy.managedBy")) {
    const std::string_view name = string_at(job, "spec.runPolicy.managedBy");
    if (!name.empty() && name != controller && name != kMultiKueue) {
      findings.unsupported("spec.runPolicy.managedBy", *manager, {controller, kMultiKueue});
    }
  }
  check_amounts(job, "spec.runPolicy.schedulingPolicy.minResources", findings);
}

/// What PyTorchJob and TFJob have in common.
void check_training_job(const Json& job, const std::string& path,
                        const std::vector<PodsOfType>& groups,
                        const std::vector<std::string_view>& roles, std::string_view container,
                        PodSpecCheck check_pod_spec, Findings& findings) {
  check_roles(groups, roles, findings);
  check_pod_specs(groups, check_pod_spec, findings);
  check_container(groups, container, findings);
  check_images(groups, findings);
  check_pod_names(job, groups, findings);
  check_pod_count(path, groups, findings);
  check_run_policy(job, "kubeflow.org/training-operator", findings);
}

void check_elastic_policy(const Json& job, const std::vector<PodsOfType>& groups,
                          Findings& findings) {
  if (find(job, "spec.elasticPolicy") == nullptr) return;
  if (find_group(groups, "Worker") == nullptr) {
    findings.required("spec.pytorchReplicaSpecs[Worker]",
                      "must be configured if elastic policy is used");
  }
  if (find(job, "spec.elasticPolicy.nProcPerNode") != nullptr &&
      find(job, "spec.nprocPerNode") != nullptr) {
    findings.forbidden("spec.elasticPolicy.nProcPerNode",
                       "must not be used with spec.nprocPerNode");
  }
  const Json* most = find(job, "spec.elasticPolicy.maxReplicas");
  const std::int64_t least = int_at(job, "spec.elasticPolicy.minReplicas");
  if (most != nullptr && int_at(job, "spec.elasticPolicy.maxReplicas") < least) {
    findings.invalid(
        "spec.elasticPolicy.maxReplicas", *most,
        fmt::format("must be greater than or equal to minReplicas, which is {}", least));
  }
}

/// The launcher is started by a batch Job, which knows these two.
void check_mpi_restart(const Json& job, const PodsOfType& group, Findings& findings) {
  const Json& spec = *object_at(job, "spec.mpiReplicaSpecs").if_contains(group.type);
  const std::string_view policy = string_at(spec, "restartPolicy");
  if (policy.empty() || policy == "Never" || policy == "OnFailure") return;
  findings.unsupported(group.path + ".restartPolicy", Json(policy), {"Never", "OnFailure"});
}

}  // namespace

void check_kubeflow_pytorch_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings) {
  const std::string path = "spec.pytorchReplicaSpecs";
  std::vector<PodsOfType> groups = groups_of(job, path);
  for (PodsOfType& group : groups) {
    const std::int64_t most = int_at(job, "spec.elasticPolicy.maxReplicas");
    if (group.type != "Worker" || most <= group.replicas) continue;
    group.longest_suffix = indexed_suffix("worker", most);
  }
  check_training_job(job, path, groups, {"Master", "Worker"}, "pytorch", check_pod_spec, findings);
  check_alone(groups, "Master", findings);
  check_elastic_policy(job, groups, findings);
}

void check_kubeflow_tf_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings) {
  const std::string path = "spec.tfReplicaSpecs";
  const std::vector<PodsOfType> groups = groups_of(job, path);
  check_training_job(job, path, groups, {"Chief", "Master", "Worker", "PS", "Evaluator"},
                     "tensorflow", check_pod_spec, findings);
  check_alone(groups, "Chief", findings);
  check_alone(groups, "Master", findings);
  if (find_group(groups, "Chief") != nullptr && find_group(groups, "Master") != nullptr) {
    findings.forbidden(path, "must not have more than 1 Chief or Master role");
  }
}

void check_kubeflow_mpi_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings) {
  const std::string path = "spec.mpiReplicaSpecs";
  std::vector<PodsOfType> groups = groups_of(job, path);
  for (PodsOfType& group : groups) {
    if (group.type == "Launcher") group.longest_suffix = "-launcher";
    check_mpi_restart(job, group, findings);
  }
  check_roles(groups, {"Launcher", "Worker"}, findings);
  check_pod_specs(groups, check_pod_spec, findings);
  check_pod_names(job, groups, findings);
  check_run_policy(job, "kubeflow.org/mpi-operator", findings);
  if (find_group(groups, "Launcher") == nullptr) {
    findings.required(path + "[Launcher]", "must have Launcher replica spec");
  }
  check_alone(groups, "Launcher", findings);
  if (const Json* worker = object_at(job, path).if_contains("Worker")) {
    const Json* replicas = find(*worker, "replicas");
    if (replicas == nullptr) {
      findings.required(path + "[Worker].replicas", "must define number of replicas");
    } else if (int_at(*worker, "replicas") < 1) {
      findings.invalid(path + "[Worker].replicas", *replicas, "must be greater than or equal to 1");
    }
  }
}

void check_kubeflow_mpi_job_update(const Json& before, const Json& after, Findings& findings) {
  if (string_at(before, "spec.runPolicy.managedBy") !=
      string_at(after, "spec.runPolicy.managedBy")) {
    findings.forbidden("spec.runPolicy.managedBy", "field is immutable");
  }
}

void check_kubeflow_training_job_update(const Json& before, const Json& after, Findings& findings) {
  check_kubeflow_mpi_job_update(before, after, findings);
  const std::string_view queue = string_at(before, "spec.runPolicy.schedulingPolicy.queue");
  const std::string_view other = string_at(after, "spec.runPolicy.schedulingPolicy.queue");
  // A queue may be chosen later, for example by whoever lets a suspended job go.
  if (!queue.empty() && !other.empty() && queue != other) {
    findings.forbidden("spec.runPolicy.schedulingPolicy.queue", "field is immutable");
  }
}

}  // namespace trainyard::server
