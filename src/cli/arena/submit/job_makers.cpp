#include "cli/arena/submit/setting_values.h"
#include "cli/arena/submit/submission.h"

#include <fmt/format.h>

#include <algorithm>

/// The jobs themselves: one function a type.
namespace trainyard::cli::arena {
namespace {

/// What a scheduler of gangs goes by.
void add_gang(const Submission& s, std::int64_t members, Texts& labels) {
  if (!s.options().gang) return;
  labels["pod-group.scheduling.sigs.k8s.io/name"] =
      fmt::format("{}-{}", s.type.name, s.options().name);
  labels["pod-group.scheduling.sigs.k8s.io/min-available"] = std::to_string(members);
}

RolePlan make_role(const Submission& s, const char* name, std::int64_t replicas) {
  const SubmitOptions& o = s.options();
  RolePlan role;
  role.role = name;
  role.replicas = replicas;
  role.image = o.image;
  role.gpus = o.gpus;
  role.cpu = o.cpu;
  role.memory = o.memory;
  role.selector = s.settings.selector;
  return role;
}

/// Pods of a role on different nodes, or together. They are told by a label that they get here: not
/// every operator sets it.
void add_affinity(const Submission& s, const RoleOptions& options, const std::string& replica_type,
                  RolePlan& role) {
  if (options.affinity_policy == "none") return;
  role.more_labels["tf-replica-type"] = replica_type;
  const char* kind = options.affinity_policy == "spread" ? "podAntiAffinity" : "podAffinity";
  const Json term{
      {"labelSelector",
       {{"matchLabels", {{"release", s.options().name}, {"tf-replica-type", replica_type}}}}},
      {"topologyKey", "kubernetes.io/hostname"}};
  if (options.affinity_constraint == "required") {
    role.affinity = {{kind, {{"requiredDuringSchedulingIgnoredDuringExecution", JsonArray{term}}}}};
    return;
  }
  role.affinity = {{kind,
                    {{"preferredDuringSchedulingIgnoredDuringExecution",
                      JsonArray{{{"weight", 100}, {"podAffinityTerm", term}}}}}}};
}

RolePlan make_tensorflow_role(const Submission& s, const char* name, std::int64_t replicas,
                              const RoleOptions& options) {
  RolePlan role = make_role(s, name, replicas);
  if (!options.image.empty()) role.image = options.image;
  role.cpu = options.cpu;
  role.cpu_limit = options.cpu_limit;
  role.memory = options.memory;
  role.memory_limit = options.memory_limit;
  // It was checked together with the others of its kind.
  if (!options.selectors.empty()) role.selector = *read_pairs(options.selectors, "selector");
  if (options.port > 0) {
    role.ports = JsonArray{{{"name", "tfjob-port"}, {"containerPort", options.port}}};
  }
  return role;
}

}  // namespace

Json make_pytorch_job(const Submission& s) {
  const SubmitOptions& o = s.options();
  const std::int64_t gpus = o.workers * o.gpus;
  const std::string master = o.name + "-master-0";
  JsonObject replicas;
  for (const char* name : {"Master", "Worker"}) {
    const bool is_master = name == std::string_view("Master");
    RolePlan role = make_role(s, name, is_master ? 1 : o.workers - 1);
    if (role.replicas == 0) continue;
    add_gang(s, o.workers, role.more_labels);
    if (is_master) role.more_labels["master-pod-name"] = master;
    if (!is_master) role.restart_policy = "OnFailure";
    if (!is_master && !o.worker.image.empty()) role.image = o.worker.image;
    if (role.image.empty()) role.image = o.worker.image;
    if (o.rdma) role.more_env["MASTER_ADDR"] = master;
    if (!o.nproc_per_node.empty()) role.more_env["PET_NPROC_PER_NODE"] = o.nproc_per_node;
    replicas[name] = make_replica_spec(s, role, gpus);
  }
  return make_job(s, gpus, {{"pytorchReplicaSpecs", std::move(replicas)}});
}

Json make_mpi_job(const Submission& s) {
  const SubmitOptions& o = s.options();
  const std::int64_t gpus = o.workers * o.gpus;
  RolePlan launcher = make_role(s, "Launcher", 1);
  launcher.gpus = 0;
  launcher.cpu = launcher.memory = "";
  launcher.mounts_data = o.mounts_on_launcher;
  RolePlan worker = make_role(s, "Worker", o.workers);
  worker.runs_command = false;  // the operator starts what the launcher connects to
  add_gang(s, o.workers, worker.more_labels);
  Json spec{{"slotsPerWorker", std::max<std::int64_t>(1, o.gpus)},
            {"mpiReplicaSpecs",
             {{"Launcher", make_replica_spec(s, launcher, gpus)},
              {"Worker", make_replica_spec(s, worker, gpus)}}}};
  return make_job(s, gpus, std::move(spec));
}

Json make_tensorflow_job(const Submission& s) {
  const SubmitOptions& o = s.options();
  // One process alone has nobody to be told of.
  const bool alone = o.workers == 1 && o.ps_count == 0 && !o.has_chief && !o.has_evaluator;
  const std::int64_t chiefs = alone || o.has_chief ? 1 : 0;
  const std::int64_t workers = alone ? 0 : o.workers;
  const std::int64_t evaluators = o.has_evaluator ? 1 : 0;
  const std::int64_t gpus = (chiefs + workers + evaluators) * o.gpus;
  std::vector<RolePlan> roles = {
      make_tensorflow_role(s, "Chief", chiefs, alone ? o.worker : o.chief),
      make_tensorflow_role(s, "Worker", workers, o.worker),
      make_tensorflow_role(s, "PS", o.ps_count, o.ps),
      make_tensorflow_role(s, "Evaluator", evaluators, o.evaluator)};
  JsonObject replicas;
  for (RolePlan& role : roles) {
    if (role.replicas == 0) continue;
    const bool is_ps = role.role == "PS";
    if (is_ps) role.gpus = o.ps_gpus;
    if (!is_ps && !o.worker.image.empty()) role.image = o.worker.image;
    if (role.role == "Worker" && chiefs > 0) role.restart_policy = "OnFailure";
    if (is_ps) add_affinity(s, o.ps, "ps", role);
    if (role.role == "Worker" && o.ps_count > 0) add_affinity(s, o.worker, "worker", role);
    add_gang(s, chiefs + workers + o.ps_count + evaluators, role.more_labels);
    replicas[role.role] = make_replica_spec(s, role, gpus);
  }
  Json spec{{"tfReplicaSpecs", std::move(replicas)}};
  if (o.success_policy == "AllWorkers") make_path(spec, "successPolicy") = "AllWorkers";
  Json job = make_job(s, gpus, std::move(spec));
  if (alone) {
    find(job, "metadata.annotations")->as_object()["arena.kubeflow.org/disable-tf-config"] = "true";
  }
  return job;
}

}  // namespace trainyard::cli::arena
