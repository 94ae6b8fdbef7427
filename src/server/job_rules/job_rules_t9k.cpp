#include "server/job_rules/job_rule_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

/// The rules of T9k's training jobs and its GenericJob.
namespace trainyard::server {
namespace {

std::vector<std::string_view> types_of(const std::vector<PodsOfType>& groups) {
  std::vector<std::string_view> types;
  for (const PodsOfType& group : groups) types.emplace_back(group.type);
  return types;
}

/// What holds for every kind with spec.replicaSpecs whose pods are numbered.
void check_groups(const Json& job, const std::vector<PodsOfType>& groups,
                  PodSpecCheck check_pod_spec, Findings& findings) {
  check_pod_specs(groups, check_pod_spec, findings);
  check_pod_names(job, groups, findings);
  check_pod_count("spec.replicaSpecs", groups, findings);
  check_run_mode(job, types_of(groups), findings);
}

bool is_elastic(const Json& job) {
  return bool_at(job, "spec.elastic.enabled");
}

void check_elastic(const Json& job, Findings& findings) {
  if (!is_elastic(job)) return;
  const Json* least = find(job, "spec.elastic.minReplicas");
  const Json* most = find(job, "spec.elastic.maxReplicas");
  const Json* wanted = find(job, "spec.elastic.expectedReplicas");
  if (least == nullptr) findings.required("spec.elastic.minReplicas", "elastic jobs need it");
  if (most == nullptr) findings.required("spec.elastic.maxReplicas", "elastic jobs need it");
  if (least == nullptr || most == nullptr) return;
  const std::int64_t low = int_at(job, "spec.elastic.minReplicas");
  const std::int64_t high = int_at(job, "spec.elastic.maxReplicas");
  if (low > high) {
    findings.invalid("spec.elastic.maxReplicas", *most,
                     fmt::format("must be greater than or equal to minReplicas, which is {}", low));
  } else if (wanted != nullptr) {
    const std::int64_t count = int_at(job, "spec.elastic.expectedReplicas");
    if (count < low || count > high) {
      findings.invalid(
          "spec.elastic.expectedReplicas", *wanted,
          fmt::format("must be between minReplicas and maxReplicas: {} to {}", low, high));
    }
  }
}

/// The container that trains: the one named python, otherwise the first.
std::size_t training_container(const JsonArray& containers) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (string_at(containers[i], "name") == "python") return i;
  }
  return 0;
}

bool uses_torchrun(const Json& job) {
  return bool_at(job, "spec.torchrunConfig.enabled") || bool_at(job, "spec.torchrunConfig.enable");
}

void check_torchrun(const Json& job, const std::vector<PodsOfType>& groups, Findings& findings) {
  if (!uses_torchrun(job) || debugs(job)) return;
  for (const PodsOfType& group : groups) {
    if (group.pod == nullptr) continue;
    const JsonArray& containers = array_at(*group.pod, "containers");
    const std::size_t trains = training_container(containers);
    if (trains >= containers.size() || !array_at(containers[trains], "args").empty()) continue;
    findings.required(fmt::format("{}.template.spec.containers[{}].args", group.path, trains),
                      "with torchrunConfig.enabled the script and its arguments are given here; "
                      "command is not used");
  }
}

void check_one_at_most(const std::vector<PodsOfType>& groups, std::string_view type,
                       Findings& findings) {
  const PodsOfType* group = find_group(groups, type);
  if (group == nullptr || group->replicas <= 1) return;
  findings.invalid(group->path + ".replicas", group->replicas,
                   fmt::format("must be 1: a job has one {}", type));
}

/// The index that a rule names: a number, or a number in quotes.
std::optional<std::int64_t> read_index(const Json& value) {
  if (value.is_int64()) return value.get_int64();
  if (!value.is_string()) return std::nullopt;
  const JsonString& text = value.get_string();
  std::int64_t index = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return index;
}

void check_indices(const Json& indices, const std::string& path, const PodsOfType& group,
                   Findings& findings) {
  std::size_t position = 0;
  for (const Json& value : indices.get_array()) {
    const std::string index_path = fmt::format("{}[{}]", path, position++);
    const std::optional<std::int64_t> index = read_index(value);
    if (index && *index >= 0 && *index < group.replicas) continue;
    findings.invalid(index_path, value,
                     fmt::format("must be the index of a pod of type \"{}\", which has {}",
                                 group.type, group.replicas));
  }
}

/// A rule about no pod would hold before anything has run.
void check_end_rules(const Json& job, const char* list, const std::vector<PodsOfType>& groups,
                     Findings& findings) {
  std::size_t position = 0;
  for (const Json& rule : array_at(job, list)) {
    const std::string path = fmt::format("{}[{}]", list, position++);
    if (rule.get_object().empty()) {
      findings.required(path, "must name at least one pod, for example {worker: [0]}");
    }
    for (const auto& entry : rule.get_object()) {
      const std::string entry_path = member_path(path, entry.key());
      const PodsOfType* group = find_group(groups, entry.key());
      if (group == nullptr) {
        findings.not_found(entry_path, Json(entry.key()), "the job has no such replica type");
      } else if (entry.value().get_array().empty()) {
        findings.required(entry_path, "must name at least one pod by its index");
      } else {
        check_indices(entry.value(), entry_path, *group, findings);
      }
    }
  }
}

void check_ports(const Json& job, Findings& findings) {
  const JsonArray& ports = array_at(job, "spec.service.ports");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string path = fmt::format("spec.service.ports[{}].name", i);
    const std::string_view name = string_at(ports[i], "name");
    if (name.empty() && ports.size() > 1) {
      findings.required(path, "ports have names where there are several");
    } else if (!name.empty() && !names.insert(name).second) {
      findings.duplicate(path, Json(name));
    }
  }
}

}  // namespace

void check_pytorch_training_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings) {
  std::vector<PodsOfType> groups = groups_of_t9k_job(job);
  if (is_elastic(job)) {
    // Any group may grow to the whole job.
    const std::int64_t most = int_at(job, "spec.elastic.maxReplicas");
    for (PodsOfType& group : groups) {
      group.longest_suffix =
          kSuffixOfT9kJob + indexed_suffix(group.type, std::max(group.replicas, most));
    }
  }
  check_groups(job, groups, check_pod_spec, findings);
  check_torchrun(job, groups, findings);
  check_elastic(job, findings);
  check_tensorboard_spec(job, "spec.tensorboardSpec", findings);
}

void check_tensorflow_training_job(const Json& job, PodSpecCheck check_pod_spec,
                                   Findings& findings) {
  const std::vector<PodsOfType> groups = groups_of_t9k_job(job);
  check_groups(job, groups, check_pod_spec, findings);
  check_container(groups, "tensorflow", findings);
  check_one_at_most(groups, "chief", findings);
  const auto has = [&](std::string_view type) {
    const PodsOfType* group = find_group(groups, type);
    return group != nullptr && group->replicas > 0;
  };
  if (!has("chief") && !has("worker")) {
    findings.required("spec.replicaSpecs",
                      "must have a chief or a worker, whose end decides the job's");
  }
  check_tensorboard_spec(job, "spec.tensorboardSpec", findings);
}

void check_xgboost_training_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings) {
  const std::vector<PodsOfType> groups = groups_of_t9k_job(job);
  check_groups(job, groups, check_pod_spec, findings);
  check_container(groups, "xgboost", findings);
  const PodsOfType* master = find_group(groups, "master");
  if (master == nullptr) {
    findings.required("spec.replicaSpecs", "must have one of type master");
  } else if (master->replicas != 1) {
    findings.invalid(master->path + ".replicas", master->replicas,
                     "must be 1: a job has one master");
  }
}

void check_generic_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings) {
  const std::vector<PodsOfType> groups = groups_of_t9k_job(job);
  check_groups(job, groups, check_pod_spec, findings);
  check_end_rules(job, "spec.successRules", groups, findings);
  check_end_rules(job, "spec.failureRules", groups, findings);
  check_ports(job, findings);
}

std::vector<std::string> warn_of_pytorch_training_job(const Json& job) {
  std::vector<std::string> warnings;
  if (is_elastic(job) && !uses_torchrun(job)) {
    warnings.emplace_back(
        "spec.elastic.enabled: has no effect without spec.torchrunConfig.enabled: the job has the "
        "replicas of spec.replicaSpecs");
  }
  if (find(job, "spec.torchrunConfig.minNodes") != nullptr) {
    warnings.emplace_back("spec.torchrunConfig.minNodes: is not used: see spec.elastic");
  }
  return warnings;
}

void check_training_job_update(const Json& before, const Json& after, Findings& findings) {
  // The pods of a running job are found by what this says, and its restarts counted.
  check_unchanged(before, after, {"spec.replicaSpecs", "spec.runPolicy.restartScope"}, findings);
  check_run_mode_unchanged(before, after, findings);
}

void check_pytorch_training_job_update(const Json& before, const Json& after, Findings& findings) {
  check_training_job_update(before, after, findings);
  check_unchanged(before, after,
                  {"spec.torchrunConfig", "spec.elastic.minReplicas", "spec.elastic.maxReplicas"},
                  findings);
  if (is_elastic(before) != is_elastic(after)) {
    findings.forbidden("spec.elastic.enabled",
                       "cannot be changed once the job exists: delete the job and create it anew");
  }
}

void check_generic_job_update(const Json& before, const Json& after, Findings& findings) {
  check_training_job_update(before, after, findings);
  check_unchanged(before, after, {"spec.service"}, findings);
}

}  // namespace trainyard::server
