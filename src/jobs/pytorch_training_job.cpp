#include "jobs/pytorch_training_job.h"

#include "jobs/engine/names.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

RestartPolicy read_restart(std::string_view word) {
  if (word == "Never") return RestartPolicy::kNever;
  if (word == "Always") return RestartPolicy::kAlways;
  if (word == "ExitCode") return RestartPolicy::kExitCode;
  return RestartPolicy::kOnFailure;
}

CleanUp read_clean_up(std::string_view word) {
  if (word == "All") return CleanUp::kAll;
  if (word == "Unfinished") return CleanUp::kUnfinished;
  return CleanUp::kNone;
}

/// The container that trains: the one named python, otherwise the first.
Json& training_container(JsonArray& containers) {
  for (Json& container : containers) {
    if (string_at(container, "name") == "python") return container;
  }
  return containers.front();
}

JsonArray torchrun_command(const Json& job, const JobForm& form, const Replica& replica,
                           std::int64_t port) {
  const Json& config = *find(job, "spec.torchrunConfig");
  JsonArray command{"torchrun"};
  const auto option = [&](const char* name, std::string_view value) {
    command.emplace_back(name);
    command.emplace_back(value);
  };
  option("--nnodes", std::to_string(form.total_replicas()));
  option("--nproc_per_node", string_at(config, "procPerNode", "1"));
  option("--rdzv_backend", string_at(config, "rdzvBackend", "c10d"));
  option("--rdzv_endpoint", fmt::format("{}:{}", master_host(job, form), port));
  option("--rdzv_id", name_of(job));
  if (string_at(config, "rdzvBackend", "c10d") == "c10d") {
    // Who keeps the store is said, not guessed: torchrun compares host names, which fails where
    // the endpoint's name is not the machine's canonical one.
    option("--rdzv_conf", replica.rank == 0 ? "is_host=1" : "is_host=0");
  }
  option("--max_restarts", std::to_string(int_at(config, "maxRestarts", 3)));
  option("--role", form.groups[replica.group].type);
  for (const Json& extra : array_at(config, "extraOptions")) command.push_back(extra);
  return command;
}

/// The rendezvous comes before the user's variables, so that those may refer to it: $(MASTER_ADDR).
void add_rendezvous(Json& container, const Json& job, const JobForm& form, const Replica& replica,
                    std::int64_t port, bool torchrun) {
  JsonArray env;
  const auto variable = [&](const char* name, std::string_view value) {
    env.push_back({{"name", name}, {"value", value}});
  };
  variable("MASTER_ADDR", master_host(job, form));
  variable("MASTER_PORT", std::to_string(port));
  variable("RANK", std::to_string(replica.rank));
  variable("WORLD_SIZE", std::to_string(form.total_replicas()));
  if (!torchrun) variable("LOCAL_RANK", "0");
  for (const Json& own : array_at(container, "env")) env.push_back(own);
  container.get_object()["env"] = std::move(env);
}

}  // namespace

JobForm PyTorchTrainingJob::read(const Json& job) const {
  JobForm form;
  for (const Json& spec : array_at(job, "spec.replicaSpecs")) {
    ReplicaGroup group;
    group.type = string_at(spec, "type");
    group.replicas = int_at(spec, "replicas", 1);
    group.restart = read_restart(string_at(spec, "restartPolicy"));
    form.groups.push_back(std::move(group));
  }
  form.backoff_limit = int_at(job, "spec.runPolicy.backoffLimit", 3);
  form.clean_up = read_clean_up(string_at(job, "spec.runPolicy.cleanUpPolicy"));
  if (const std::int64_t seconds = int_at(job, "spec.runPolicy.activeDeadlineSeconds")) {
    form.deadline = std::chrono::seconds(seconds);
  }
  return form;
}

Json PyTorchTrainingJob::make_pod(const Json& job, const JobForm& form, const Replica& replica,
                                  std::int64_t port) const {
  const Json& replica_spec = array_at(job, "spec.replicaSpecs")[replica.group];
  Json pod{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", JsonObject()}};
  for (const char* map : {"labels", "annotations"}) {
    const JsonObject& entries = object_at(replica_spec, std::string("template.metadata.") + map);
    if (!entries.empty()) pod.at("metadata").get_object()[map] = entries;
  }
  pod.get_object()["spec"] = *find(replica_spec, "template.spec");
  Json& container = training_container(pod.at("spec").at("containers").get_array());
  const bool torchrun = bool_at(job, "spec.torchrunConfig.enabled");
  add_rendezvous(container, job, form, replica, port, torchrun);
  if (torchrun) {
    container.get_object()["command"] = torchrun_command(job, form, replica, port);
  }
  return pod;
}

}  // namespace trainyard::jobs
