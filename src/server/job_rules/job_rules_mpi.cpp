#include "server/job_rules/job_rule_parts.h"

#include <fmt/format.h>

/// The rules of T9k's MPIJob, which has two forms: spec.replicaSpecs with spec.mpiConfig, and the
/// older spec.worker.
namespace trainyard::server {
namespace {

/// The launcher is alone and its pod has no index.
void name_launcher(std::vector<PodsOfType>& groups) {
  for (PodsOfType& group : groups) {
    if (group.type == "launcher") group.longest_suffix = kSuffixOfT9kJob + std::string("-launcher");
  }
}

PodsOfType worker_of_older_form(const Json& job) {
  PodsOfType worker;
  worker.type = "worker";
  worker.path = "spec.worker";
  worker.replicas = int_at(job, "spec.worker.replicas", 1);
  worker.pod = find(job, "spec.worker.template.spec");
  worker.longest_suffix = kSuffixOfT9kJob + indexed_suffix("worker", worker.replicas);
  return worker;
}

/// Each form has its own name for the container; both names are understood in both.
void check_worker(const PodsOfType& worker, std::string_view container, Findings& findings) {
  if (worker.replicas < 1) {
    findings.invalid(worker.path + ".replicas", worker.replicas,
                     "must be greater than or equal to 1");
  }
  if (worker.pod != nullptr && !has_container(*worker.pod, "worker") &&
      !has_container(*worker.pod, "mpi-worker")) {
    findings.required(
        worker.path + ".template.spec.containers",
        fmt::format("must have a container named {}, which does the work", container));
  }
}

void check_replica_specs(const Json& job, const std::vector<PodsOfType>& groups,
                         Findings& findings) {
  const PodsOfType* worker = find_group(groups, "worker");
  if (worker == nullptr) {
    findings.required("spec.replicaSpecs", "must have one of type worker");
  } else {
    check_worker(*worker, "worker", findings);
  }
  if (const PodsOfType* launcher = find_group(groups, "launcher");
      launcher != nullptr && launcher->replicas != 1) {
    findings.invalid(launcher->path + ".replicas", launcher->replicas,
                     "must be 1: a job has one launcher");
  }
  if (array_at(job, "spec.mpiConfig.script").empty() && !debugs(job)) {
    findings.required("spec.mpiConfig.script", "the program that mpirun starts");
  }
}

void check_older_form(const Json& job, const PodsOfType& worker, Findings& findings) {
  check_worker(worker, "mpi-worker", findings);
  if (find(job, "spec.mpiConfig") != nullptr) {
    findings.forbidden("spec.mpiConfig",
                       "not together with spec.worker, the older form, which has mca, mpiHome, "
                       "worker.cmd and worker.extraMPIArgs instead");
  }
  if (array_at(job, "spec.worker.cmd").empty() && !debugs(job)) {
    findings.required("spec.worker.cmd", "the program that mpirun starts");
  }
}

void check_not_twice(const Json& job, const char* older, const char* newer, Findings& findings) {
  if (find(job, older) == nullptr || find(job, newer) == nullptr) return;
  findings.forbidden(older, fmt::format("not together with {}, which means the same", newer));
}

}  // namespace

void check_t9k_mpi_job(const Json& job, PodSpecCheck check_pod_spec, Findings& findings) {
  const bool older = find(job, "spec.worker") != nullptr;
  const bool newer = find(job, "spec.replicaSpecs") != nullptr;
  check_run_mode(job, {"launcher", "worker"}, findings);
  if (!older && !newer) {
    findings.required("spec.replicaSpecs", "must have one of type worker");
    return;
  }
  if (older && newer) {
    findings.forbidden("spec.worker",
                       "not together with spec.replicaSpecs: it is the older form of the same");
    return;
  }
  std::vector<PodsOfType> groups =
      older ? std::vector<PodsOfType>{worker_of_older_form(job)} : groups_of_t9k_job(job);
  name_launcher(groups);
  check_pod_specs(groups, check_pod_spec, findings, "launcher");
  check_pod_names(job, groups, findings);
  if (older) {
    check_older_form(job, groups.front(), findings);
  } else {
    check_replica_specs(job, groups, findings);
    check_not_twice(job, "spec.mca", "spec.mpiConfig.mca", findings);
    check_not_twice(job, "spec.mpiHome", "spec.mpiConfig.home", findings);
  }
}

void check_t9k_mpi_job_update(const Json& before, const Json& after, Findings& findings) {
  check_unchanged(before, after,
                  {"spec.replicaSpecs", "spec.mpiConfig", "spec.worker", "spec.mca", "spec.mpiHome",
                   "spec.ssh"},
                  findings);
  check_run_mode_unchanged(before, after, findings);
}

}  // namespace trainyard::server
