#include "jobs/engine/form/training_spec.h"

#include "jobs/engine/form/names.h"

namespace trainyard::jobs {

RestartPolicy read_restart_policy(std::string_view word) {
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

void set_master_group(JobForm& form, std::size_t group) {
  form.first_group = group;
  const EndRule master{{{group, 0}}};
  form.ends.success_rules = {master};
  form.ends.failure_rules = {master};
}

JobForm read_training_spec(const Json& job) {
  JobForm form;
  for (const Json& spec : array_at(job, "spec.replicaSpecs")) {
    ReplicaGroup group;
    group.type = string_at(spec, "type");
    group.replicas = int_at(spec, "replicas", 1);
    group.restart = read_restart_policy(string_at(spec, "restartPolicy"));
    form.groups.push_back(std::move(group));
  }
  form.limits.backoff = int_at(job, "spec.runPolicy.backoffLimit", 3);
  form.ends.clean_up = read_clean_up(string_at(job, "spec.runPolicy.cleanUpPolicy"));
  if (const std::int64_t seconds = int_at(job, "spec.runPolicy.activeDeadlineSeconds")) {
    form.limits.deadline = std::chrono::seconds(seconds);
  }
  if (string_at(job, "spec.runPolicy.restartScope") == "Job") {
    form.limits.restart_scope = RestartScope::kJob;
  }
  if (string_at(job, "spec.runPolicy.onReplicaFailure") == "StopJob") {
    form.ends.on_replica_failure = OnReplicaFailure::kStopJob;
  }
  form.paused = bool_at(job, "spec.runMode.pause.enabled");
  std::size_t first = 0;
  while (first + 1 < form.groups.size() && form.groups[first].replicas == 0) ++first;
  set_master_group(form, first);
  return form;
}

void add_variable(JsonArray& env, const char* name, std::string_view value) {
  env.push_back({{"name", name}, {"value", value}});
}

JsonArray rendezvous_variables(const Json& job, const JobForm& form, const Replica& replica,
                               std::int64_t port) {
  JsonArray env;
  add_variable(env, "MASTER_ADDR", master_host(job, form));
  add_variable(env, "MASTER_PORT", std::to_string(port));
  add_variable(env, "RANK", std::to_string(replica.rank));
  add_variable(env, "WORLD_SIZE", std::to_string(form.total_replicas()));
  return env;
}

void put_first(Json& container, JsonArray variables) {
  for (const Json& own : array_at(container, "env")) variables.push_back(own);
  container.get_object()["env"] = std::move(variables);
}

}  // namespace trainyard::jobs
