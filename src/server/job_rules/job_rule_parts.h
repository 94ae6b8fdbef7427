#pragma once

#include "object/values/metadata.h"
#include "server/findings.h"
#include "server/job_rules/job_rules.h"

#include <string>
#include <string_view>
#include <vector>

/// What the rules of several job kinds are made of. Only for the job_rules_*.cpp files.
namespace trainyard::server {

/// One group of pods, wherever its kind keeps it.
struct PodsOfType {
  std::string type;
  std::string path;  // of what describes the group
  std::int64_t replicas = 1;
  const Json* pod = nullptr;   // template.spec; null when it is not there
  std::string longest_suffix;  // what the longest of the pods' names adds to the job's
};

/// "-worker-11" for twelve workers.
std::string indexed_suffix(std::string_view type, std::int64_t replicas);

/// T9k names pods <job>-<5 hex digits>-<type>-<index>; this is the part with the digits.
inline constexpr const char* kSuffixOfT9kJob = "-00000";

/// The groups of spec.replicaSpecs, as T9k's kinds have it.
std::vector<PodsOfType> groups_of_t9k_job(const Json& job);
const PodsOfType* find_group(const std::vector<PodsOfType>& groups, std::string_view type);

/// The job's name as the beginning of the names of its pods, which are host names.
void check_pod_names(const Json& job, const std::vector<PodsOfType>& groups, Findings& findings);
/// Between 1 and 9999 pods in all.
void check_pod_count(const std::string& path, const std::vector<PodsOfType>& groups,
                     Findings& findings);
/// Every group has a pod, and the pods are good. Groups named in `may_be_empty` need none.
void check_pod_specs(const std::vector<PodsOfType>& groups, PodSpecCheck check_pod_spec,
                     Findings& findings, std::string_view may_be_empty = "");
bool has_container(const Json& pod, std::string_view name);
/// Every pod has a container of that name: the one that trains.
void check_container(const std::vector<PodsOfType>& groups, std::string_view name,
                     Findings& findings);
/// spec.runMode speaks only of replica types that the job has.
void check_run_mode(const Json& job, const std::vector<std::string_view>& types,
                    Findings& findings);
bool debugs(const Json& job);
/// No amount is below zero.
void check_amounts(const Json& object, const std::string& path, Findings& findings);
/// No amount is above the one of the same name in `most`, which `what` describes.
void check_not_above(const Json& object, const std::string& path, const std::string& most,
                     std::string_view what, Findings& findings);
/// A TensorBoard's spec, wherever it is.
void check_tensorboard_spec(const Json& object, const std::string& path, Findings& findings);

/// Refuses changes of these fields.
void check_unchanged(const Json& before, const Json& after,
                     const std::vector<std::string_view>& paths, Findings& findings);
/// What T9k's kinds do not let change in spec.runMode.
void check_run_mode_unchanged(const Json& before, const Json& after, Findings& findings);

// The rules of each kind, and what each does not let change.
void check_pytorch_training_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings);
void check_tensorflow_training_job(const Json& job, PodSpecCheck check_pod_spec,
                                   Findings& findings);
void check_xgboost_training_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings);
void check_generic_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings);
void check_t9k_mpi_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings);
void check_kubeflow_pytorch_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings);
void check_kubeflow_tf_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings);
void check_kubeflow_mpi_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings);
void check_tensorboard(const Json& board, PodSpecCheck check_pod_spec, Findings& findings);
void check_notebook(const Json& notebook, PodSpecCheck check_pod_spec, Findings& findings);
void check_pod_group(const Json& group, PodSpecCheck check_pod_spec, Findings& findings);
void check_queue(const Json& queue, PodSpecCheck check_pod_spec, Findings& findings);

std::vector<std::string> warn_of_pytorch_training_job(const Json& job);
void check_pytorch_training_job_update(const Json& before, const Json& after, Findings& findings);
void check_training_job_update(const Json& before, const Json& after, Findings& findings);
void check_generic_job_update(const Json& before, const Json& after, Findings& findings);
void check_t9k_mpi_job_update(const Json& before, const Json& after, Findings& findings);
void check_kubeflow_training_job_update(const Json& before, const Json& after, Findings& findings);
void check_kubeflow_mpi_job_update(const Json& before, const Json& after, Findings& findings);

}  // namespace trainyard::server
