#include "jobs/kubeflow/tf_job.h"

#include "base/words/text.h"
#include "jobs/engine/form/names.h"
#include "jobs/engine/form/run_mode.h"
#include "jobs/engine/form/training_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainyard::jobs {
namespace {

constexpr std::int64_t kRoomForWorkers = 16;  // ports that workers which come later may have

bool is_dynamic(const Json& job) {
  return bool_at(job, "spec.enableDynamicWorker");
}

/// Only the replica itself and the parameter servers, so that workers may come and go.
Json sparse_cluster(const Json& cluster, const std::string& type, std::int64_t index) {
  JsonObject worker;
  JsonArray servers;
  if (type == "worker") {
    worker[std::to_string(index)] = array_at(cluster, type)[static_cast<std::size_t>(index)];
    servers = array_at(cluster, "ps");
  } else if (type == "ps") {
    servers.push_back(array_at(cluster, type)[static_cast<std::size_t>(index)]);
  }
  return {{"worker", std::move(worker)}, {"ps", std::move(servers)}};
}

std::string full_name(const Json& job) {
  return fmt::format("TFJob {}/{}", namespace_of(job), name_of(job));
}

}  // namespace

JobForm TFJob::read(const Json& job) const {
  JobForm form = read_spec(job);
  const auto worker = find_group(form, "worker");
  auto leader = find_group(form, "chief");
  if (!leader) leader = find_group(form, "master");
  form.ends.has_master = leader || worker;
  form.first_group = leader ? *leader : worker.value_or(0);
  if (leader) {
    form.ends.success_rules = {EndRule{{{*leader, 0}}}};
  } else if (worker) {
    const bool all = string_at(job, "spec.successPolicy") == "AllWorkers";
    form.ends.success_rules = {all ? all_of_group(form, *worker) : EndRule{{{*worker, 0}}}};
    if (all) form.ends.has_master = false;
  } else {
    EndRule everybody;
    for (const Replica& replica : replicas_of(form)) {
      everybody.replicas.emplace_back(replica.group, replica.index);
    }
    form.ends.success_rules = {everybody};
  }
  if (is_dynamic(job)) {
    std::erase_if(form.ends.failure_rules, [&](const EndRule& rule) {
      return form.groups[rule.replicas.front().first].type == "worker";
    });
  }
  form.meeting.ports = form.total_replicas() + (is_dynamic(job) ? kRoomForWorkers : 0);
  return form;
}

/// Every replica has a port of its own: TensorFlow listens on all addresses of the machine,
/// whatever name it is given.
std::int64_t TFJob::port_of(const Json& job, const JobForm& form, const Replica& replica,
                            std::int64_t leased) const {
  std::int64_t offset = replica.index;
  for (std::size_t group = 0; group < replica.group; ++group) {
    offset += form.groups[group].replicas;
  }
  for (const std::string_view role : roles()) {
    if (lower(role) != form.groups[replica.group].type) continue;
    if (const std::int64_t declared = declared_port(job, role)) return declared;
  }
  return leased + offset;
}

/// Who is where, without evaluators, which are not part of the cluster.
Json TFJob::make_cluster(const Json& job, const JobForm& form, std::int64_t leased) const {
  std::map<std::string, JsonArray> places;
  for (const Replica& replica : replicas_of(form)) {
    const std::string& type = form.groups[replica.group].type;
    if (type == "evaluator") continue;
    places[type].emplace_back(fmt::format("{}.{}.svc:{}", pod_name(job, form, replica),
                                          namespace_of(job), port_of(job, form, replica, leased)));
  }
  JsonObject cluster;
  for (auto& [type, hosts] : places) cluster[type] = std::move(hosts);
  return cluster;
}

Json TFJob::make_pod(const Json& job, const JobForm& form, const Replica& replica,
                     std::int64_t port) const {
  Json pod = make_role_pod(job, form, replica, port);
  // A single process trains for itself.
  if (form.total_replicas() == 1) return pod;
  const std::string& type = form.groups[replica.group].type;
  const Json task{{"type", type}, {"index", replica.index}};
  Json cluster = make_cluster(job, form, port);
  JsonObject config;
  if (is_dynamic(job)) {
    config["sparseCluster"] = sparse_cluster(cluster, type, replica.index);
    config["task"] = task;
  } else {
    config["cluster"] = std::move(cluster);
    config["task"] = task;
    config["environment"] = "cloud";
  }
  JsonArray env;
  add_variable(env, "TF_CONFIG", to_text(config));
  put_last(jobs::main_container(pod, main_container()), env);
  return pod;
}

std::string TFJob::running_words(const Json& job) const {
  return full_name(job) + " is running.";
}

std::string TFJob::success_words(const Json& job) const {
  return full_name(job) + " successfully completed.";
}

std::string TFJob::failure_words(const Json& job, std::int64_t failed,
                                 std::string_view role) const {
  return fmt::format("{} has failed because {} {} replica(s) failed", full_name(job), failed, role);
}

}  // namespace trainyard::jobs
