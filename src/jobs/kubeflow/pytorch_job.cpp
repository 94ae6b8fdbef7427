#include "jobs/kubeflow/pytorch_job.h"

#include "jobs/engine/form/names.h"
#include "jobs/engine/form/training_spec.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::jobs {
namespace {

bool has_master(const Json& job) {
  return find(job, "spec.pytorchReplicaSpecs.Master") != nullptr;
}

bool is_elastic(const Json& job) {
  return find(job, "spec.elasticPolicy") != nullptr;
}

/// How many processes a pod runs, where that is a number.
std::int64_t processes_per_pod(const Json& job) {
  const std::string_view text = string_at(job, "spec.nprocPerNode");
  std::int64_t number = 1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

struct Bounds {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

/// What is missing is what is there, and without either the number of workers.
Bounds elastic_bounds(const Json& job) {
  const std::int64_t workers = int_at(job, "spec.pytorchReplicaSpecs.Worker.replicas", 1);
  const std::int64_t least = int_at(job, "spec.elasticPolicy.minReplicas");
  const std::int64_t most = int_at(job, "spec.elasticPolicy.maxReplicas");
  if (least == 0 && most == 0) return {workers, workers};
  return {least == 0 ? most : least, most == 0 ? least : most};
}

std::string rendezvous_settings(const Json& job, const Replica& replica, const JobForm& form,
                                bool c10d) {
  std::string text;
  bool says_host = false;
  for (const Json& setting : array_at(job, "spec.elasticPolicy.rdzvConf")) {
    says_host = says_host || string_at(setting, "key") == "is_host";
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", string_at(setting, "key"),
                        string_at(setting, "value"));
  }
  // Who keeps the store is said, not guessed by comparing host names.
  const bool own_host = string_at(job, "spec.elasticPolicy.rdzvHost").empty();
  if (!c10d || says_host || !own_host) return text;
  const bool keeps = form.groups[replica.group].type == "worker" && replica.index == 0;
  return fmt::format("{}{}is_host={}", text, text.empty() ? "" : ",", keeps ? 1 : 0);
}

}  // namespace

JobForm PyTorchJob::read(const Json& job) const {
  JobForm form = read_spec(job);
  const auto master = find_group(form, "master");
  const auto worker = find_group(form, "worker");
  form.ends.has_master = master.has_value();
  if (master) {
    form.first_group = *master;
    form.ends.success_rules = {EndRule{{{*master, 0}}}};
  } else if (worker) {
    form.first_group = *worker;
    const EndRule all = all_of_group(form, *worker);
    if (is_elastic(job)) {
      for (const auto& place : all.replicas) form.ends.success_rules.push_back(EndRule{{place}});
    } else {
      form.ends.success_rules = {all};
    }
  }
  if (is_elastic(job)) form.least_replicas = elastic_bounds(job).least + (master ? 1 : 0);
  form.meeting.ports = is_elastic(job) && master ? 2 : 1;
  return form;
}

std::int64_t PyTorchJob::port_of(const Json& job, const JobForm& form, const Replica& replica,
                                 std::int64_t leased) const {
  const bool worker = form.groups[replica.group].type == "worker";
  if (worker && is_elastic(job)) return meeting_port(job, form, leased);
  const std::int64_t declared = declared_port(job, worker ? "Worker" : "Master");
  return declared != 0 ? declared : leased;
}

std::int64_t PyTorchJob::meeting_port(const Json& job, const JobForm& form,
                                      std::int64_t leased) const {
  if (const std::int64_t port = int_at(job, "spec.elasticPolicy.rdzvPort")) return port;
  if (const std::int64_t port = declared_port(job, "Worker")) return port;
  return leased + (form.ends.has_master ? 1 : 0);
}

void PyTorchJob::add_master_variables(JsonArray& env, const Json& job, const JobForm& form,
                                      const Replica& replica, std::int64_t leased) const {
  const std::int64_t declared = declared_port(job, "Master");
  const std::string port = std::to_string(declared != 0 ? declared : leased);
  const std::string rank = std::to_string(replica.rank);
  add_variable(env, "MASTER_PORT", port);
  add_variable(env, "PET_MASTER_PORT", port);
  add_variable(env, "MASTER_ADDR", master_host(job, form));
  add_variable(env, "PET_MASTER_ADDR", master_host(job, form));
  add_variable(env, "WORLD_SIZE", std::to_string(form.total_replicas() * processes_per_pod(job)));
  add_variable(env, "RANK", rank);
  if (!is_elastic(job)) {
    add_variable(env, "PET_NPROC_PER_NODE", string_at(job, "spec.nprocPerNode", "auto"));
  }
  add_variable(env, "PET_NODE_RANK", rank);
}

void PyTorchJob::add_elastic_variables(JsonArray& env, const Json& job, const JobForm& form,
                                       const Replica& replica, std::int64_t leased) const {
  const std::string policy = "spec.elasticPolicy.";
  const std::string_view host = string_at(job, policy + "rdzvHost");
  const std::string_view backend = string_at(job, policy + "rdzvBackend", "c10d");
  const Bounds bounds = elastic_bounds(job);
  add_variable(env, "PET_RDZV_ENDPOINT",
               fmt::format("{}:{}", host.empty() ? fmt::format("{}-worker-0", name_of(job)) : host,
                           meeting_port(job, form, leased)));
  add_variable(env, "PET_RDZV_BACKEND", backend);
  add_variable(env, "PET_NNODES", fmt::format("{}:{}", bounds.least, bounds.most));
  if (find(job, policy + "maxRestarts") != nullptr) {
    add_variable(env, "PET_MAX_RESTARTS", std::to_string(int_at(job, policy + "maxRestarts")));
  }
  if (const std::int64_t processes = int_at(job, policy + "nProcPerNode")) {
    add_variable(env, "PET_NPROC_PER_NODE", std::to_string(processes));
  } else if (const Json* word = find(job, "spec.nprocPerNode")) {
    env.push_back({{"name", "PET_NPROC_PER_NODE"}, {"value", *word}});
  }
  add_variable(env, "PET_RDZV_ID", string_at(job, policy + "rdzvId", name_of(job)));
  const std::string settings = rendezvous_settings(job, replica, form, backend == "c10d");
  if (!settings.empty()) add_variable(env, "PET_RDZV_CONF", settings);
  // torchrun reads a number here.
  if (bool_at(job, policy + "standalone")) add_variable(env, "PET_STANDALONE", "1");
}

Json PyTorchJob::make_pod(const Json& job, const JobForm& form, const Replica& replica,
                          std::int64_t port) const {
  Json pod = make_role_pod(job, form, replica, port);
  JsonArray env;
  add_variable(env, "PYTHONUNBUFFERED", "1");
  if (has_master(job)) add_master_variables(env, job, form, replica, port);
  if (is_elastic(job)) {
    add_elastic_variables(env, job, form, replica, port);
  } else {
    add_variable(env, "PET_NNODES", std::to_string(form.total_replicas()));
  }
  for (Json& container : pod.at("spec").at("containers").get_array()) put_last(container, env);
  return pod;
}

std::string PyTorchJob::unheeded(const Json& job) const {
  if (array_at(job, "spec.elasticPolicy.metrics").empty()) return {};
  return "spec.elasticPolicy.metrics is not followed here: the number of workers changes when "
         "somebody changes it, for example with kubectl scale";
}

std::string PyTorchJob::running_words(const Json& job) const {
  if (has_master(job)) return fmt::format("PyTorchJob {} is running.", name_of(job));
  return fmt::format("PyTorchJob {}/{} is running.", namespace_of(job), name_of(job));
}

std::string PyTorchJob::success_words(const Json& job) const {
  if (has_master(job)) return fmt::format("PyTorchJob {} is successfully completed.", name_of(job));
  return fmt::format("PyTorchJob {}/{} successfully completed.", namespace_of(job), name_of(job));
}

std::string PyTorchJob::failure_words(const Json& job, std::int64_t failed,
                                      std::string_view role) const {
  return fmt::format("PyTorchJob {} is failed because {} {} replica(s) failed", name_of(job),
                     failed, role);
}

}  // namespace trainyard::jobs
