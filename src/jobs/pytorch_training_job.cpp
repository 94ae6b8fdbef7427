#include "jobs/pytorch_training_job.h"

#include "jobs/elastic.h"
#include "jobs/engine/form/names.h"
#include "jobs/engine/form/run_mode.h"
#include "jobs/engine/form/training_spec.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

/// `enable` is the older spelling.
bool uses_torchrun(const Json& job) {
  return bool_at(job, "spec.torchrunConfig.enabled") || bool_at(job, "spec.torchrunConfig.enable");
}

/// Only torchrun can take in pods that come later, and do without some.
bool is_elastic(const Json& job) {
  return bool_at(job, "spec.elastic.enabled") && uses_torchrun(job);
}

std::string node_count(const Json& job, const JobForm& form) {
  if (!is_elastic(job)) return std::to_string(form.total_replicas());
  return fmt::format("{}:{}", *form.least_replicas,
                     int_at(job, "spec.elastic.maxReplicas", form.total_replicas()));
}

JsonArray torchrun_command(const Json& job, const JobForm& form, const Replica& replica,
                           std::int64_t port) {
  const Json& config = *find(job, "spec.torchrunConfig");
  JsonArray command{"torchrun"};
  const auto option = [&](const char* name, std::string_view value) {
    command.emplace_back(name);
    command.emplace_back(value);
  };
  option("--nnodes", node_count(job, form));
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

}  // namespace

JobForm PyTorchTrainingJob::read(const Json& job) const {
  JobForm form = read_training_spec(job);
  if (is_elastic(job)) {
    apply_elastic(form, job);
    set_master_group(form, 0);
  }
  return form;
}

Json PyTorchTrainingJob::make_pod(const Json& job, const JobForm& form, const Replica& replica,
                                  std::int64_t port) const {
  Json pod = make_template_pod(job, form.groups[replica.group], main_container());
  Json& container = jobs::main_container(pod, main_container());
  JsonArray env = rendezvous_variables(job, form, replica, port);
  if (!uses_torchrun(job)) add_variable(env, "LOCAL_RANK", "0");
  put_first(container, std::move(env));
  if (uses_torchrun(job)) {
    container.get_object()["command"] = torchrun_command(job, form, replica, port);
  }
  return pod;
}

}  // namespace trainyard::jobs
