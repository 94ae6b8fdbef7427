#include "jobs/kubeflow/kubeflow_job.h"

#include "base/words/text.h"
#include "jobs/engine/form/names.h"
#include "jobs/engine/form/run_mode.h"
#include "jobs/engine/form/training_spec.h"
#include "jobs/engine/plan/children.h"
#include "jobs/engine/plan/draft.h"
#include "jobs/kubeflow/labels.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::jobs {
namespace {

constexpr std::int64_t kNoLimit = 1'000'000'000;

const Json* spec_of_type(const KubeflowJob& kind, const Json& job, std::string_view type) {
  for (const std::string_view role : kind.roles()) {
    if (lower(role) == type) return object_at(job, kind.specs_field()).if_contains(role);
  }
  return nullptr;
}

const Json* container_of(const Json& pod_spec, std::string_view name) {
  for (const Json& container : array_at(pod_spec, "containers")) {
    if (string_at(container, "name") == name) return &container;
  }
  return nullptr;
}

/// Always and OnFailure are the node's to keep; the engine replaces pods that fail all the same,
/// such as those of lost nodes.
void read_restart(ReplicaGroup& group, std::string_view policy) {
  group.restart_limit = kNoLimit;
  if (policy == "Never") {
    group.restart = RestartPolicy::kNever;
  } else if (policy == "ExitCode") {
    group.restart = RestartPolicy::kSignalOrMore;
  } else {
    group.restart = RestartPolicy::kOnFailure;
    group.in_place = policy;
  }
}

void read_run_policy(JobForm& form, const Json& job) {
  const std::string policy = "spec.runPolicy.";
  form.limits.backoff.reset();
  if (find(job, policy + "backoffLimit") != nullptr) {
    form.limits.backoff = int_at(job, policy + "backoffLimit");
    form.limits.in_place = std::max<std::int64_t>(*form.limits.backoff, 1);
  }
  if (const std::int64_t seconds = int_at(job, policy + "activeDeadlineSeconds")) {
    form.limits.deadline = std::chrono::seconds(seconds);
  }
  if (find(job, policy + "ttlSecondsAfterFinished") != nullptr) {
    form.ends.time_to_live = std::chrono::seconds(int_at(job, policy + "ttlSecondsAfterFinished"));
  }
  form.paused = bool_at(job, policy + "suspend");
  form.limits.pause_resets_clock = true;
  const std::string_view keep = string_at(job, policy + "cleanPodPolicy");
  form.ends.clean_up = keep == "All"       ? CleanUp::kAll
                       : keep == "Running" ? CleanUp::kUnfinished
                                           : CleanUp::kNone;
  // Kubeflow's clean-up policy is for jobs that ended by themselves; of those that were ended,
  // nothing stays.
  if (bool_at(job, "status.trainyard.stopped")) form.ends.clean_up = CleanUp::kAll;
}

JsonObject service_labels(const KubeflowJob& kind, const Json& job, std::string_view type,
                          std::int64_t index) {
  return {{kKubeflowJobLabel, name_of(job)},
          {kKubeflowOperatorLabel, kind.operator_name()},
          {kKubeflowIndexLabel, std::to_string(index)},
          {kKubeflowTypeLabel, type}};
}

}  // namespace

EndRule all_of_group(const JobForm& form, std::size_t group) {
  EndRule rule;
  for (std::int64_t i = 0; i < form.groups[group].replicas; ++i)
    rule.replicas.emplace_back(group, i);
  return rule;
}

void put_last(Json& container, const JsonArray& variables) {
  JsonArray env;
  for (const Json& own : array_at(container, "env")) {
    const bool ours = std::any_of(variables.begin(), variables.end(), [&](const Json& other) {
      return string_at(other, "name") == string_at(own, "name");
    });
    if (!ours) env.push_back(own);
  }
  for (const Json& variable : variables) env.push_back(variable);
  container.get_object()["env"] = std::move(env);
}

std::string KubeflowJob::operator_name() const {
  return lower(name()) + "-controller";
}

std::string KubeflowJob::title(const Json& job) const {
  return fmt::format("{} {}", name(), name_of(job));
}

std::string KubeflowJob::suspended_words(const Json& job) const {
  return title(job) + " is suspended.";
}

std::string KubeflowJob::resumed_words(const Json& job) const {
  return title(job) + " is resumed.";
}

std::string KubeflowJob::failure_reason(const Draft& /*draft*/) const {
  return fmt::format("{}Failed", name());
}

bool KubeflowJob::manages(const Json& job) const {
  const std::string_view who = string_at(job, "spec.runPolicy.managedBy");
  return who.empty() || who == manager();
}

std::vector<ReplicaSpec> KubeflowJob::replica_specs(const Json& job) const {
  std::vector<ReplicaSpec> specs;
  for (const std::string_view role : roles()) {
    const Json* spec = object_at(job, specs_field()).if_contains(role);
    if (spec != nullptr) specs.push_back({fmt::format("{}[{}]", specs_field(), role), spec});
  }
  return specs;
}

JobForm KubeflowJob::read_spec(const Json& job) const {
  JobForm form;
  form.naming.plain = true;
  for (const std::string_view role : roles()) {
    const Json* spec = object_at(job, specs_field()).if_contains(role);
    if (spec == nullptr) continue;
    ReplicaGroup group;
    group.type = lower(role);
    group.replicas = int_at(*spec, "replicas", 1);
    const std::string_view policy = string_at(*spec, "restartPolicy");
    read_restart(group, policy.empty() ? usual_restart(role) : policy);
    form.groups.push_back(std::move(group));
  }
  read_run_policy(form, job);
  for (std::size_t group = 0; group < form.groups.size(); ++group) {
    for (const auto& place : all_of_group(form, group).replicas) {
      form.ends.failure_rules.push_back(EndRule{{place}});
    }
  }
  return form;
}

Json KubeflowJob::make_role_pod(const Json& job, const JobForm& form, const Replica& replica,
                                std::int64_t leased) const {
  const ReplicaGroup& group = form.groups[replica.group];
  const Json& spec = *spec_of_type(*this, job, group.type);
  Json pod{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", JsonObject()}};
  JsonObject labels = object_at(spec, "template.metadata.labels");
  for (const auto& label : service_labels(*this, job, group.type, replica.index)) {
    labels[label.key()] = label.value();
  }
  if (replica.rank == 0) labels[kKubeflowRoleLabel] = "master";
  labels[kOlderGroupLabel] = resource().group;
  labels[kOlderJobLabel] = name_of(job);
  pod.at("metadata").get_object()["labels"] = std::move(labels);
  const JsonObject& annotations = object_at(spec, "template.metadata.annotations");
  if (!annotations.empty()) pod.at("metadata").get_object()["annotations"] = annotations;
  pod.get_object()["spec"] = *find(spec, "template.spec");
  JsonArray ports = ports_of(job, form, replica, leased);
  if (!ports.empty()) {
    jobs::main_container(pod, main_container()).get_object()["ports"] = std::move(ports);
  }
  return pod;
}

JsonArray KubeflowJob::ports_of(const Json& job, const JobForm& form, const Replica& replica,
                                std::int64_t leased) const {
  const Json& spec = *spec_of_type(*this, job, form.groups[replica.group].type);
  const Json* container = container_of(*find(spec, "template.spec"), main_container());
  JsonArray ports = container == nullptr ? JsonArray() : array_at(*container, "ports");
  const bool declared = std::any_of(ports.begin(), ports.end(), [&](const Json& one) {
    return string_at(one, "name") == port_name();
  });
  const std::int64_t port = port_of(job, form, replica, leased);
  if (declared || port == 0) return ports;
  ports.push_back({{"name", port_name()}, {"containerPort", port}, {"protocol", "TCP"}});
  return ports;
}

std::int64_t KubeflowJob::declared_port(const Json& job, std::string_view role) const {
  const Json* spec = object_at(job, specs_field()).if_contains(role);
  const Json* pod = spec == nullptr ? nullptr : find(*spec, "template.spec");
  const Json* container = pod == nullptr ? nullptr : container_of(*pod, main_container());
  if (container == nullptr) return 0;
  for (const Json& port : array_at(*container, "ports")) {
    if (string_at(port, "name") == port_name()) return int_at(port, "containerPort");
  }
  return 0;
}

/// Names resolve from the moment on that pods have addresses: who waits for a name to appear need
/// not wait for readiness, too.
std::vector<Json> KubeflowJob::make_services(const Json& job, const JobForm& form) const {
  std::vector<Json> services;
  for (const Replica& replica : replicas_of(form)) {
    const std::string& type = form.groups[replica.group].type;
    JsonArray ports;
    for (const Json& port : ports_of(job, form, replica, leased_port(job))) {
      const std::int64_t number = int_at(port, "containerPort");
      const std::string usual = fmt::format("port-{}", number);
      ports.push_back({{"name", string_at(port, "name", usual)},
                       {"port", number},
                       {"targetPort", number},
                       {"protocol", string_at(port, "protocol", "TCP")}});
    }
    Json service = make_child(job, "v1", "Service", pod_name(job, form, replica));
    const JsonObject labels = service_labels(*this, job, type, replica.index);
    for (const auto& label : labels) {
      service.at("metadata").at("labels").get_object()[label.key()] = label.value();
    }
    service.get_object()["spec"] = JsonObject{{"clusterIP", "None"},
                                              {"publishNotReadyAddresses", true},
                                              {"selector", labels},
                                              {"ports", std::move(ports)}};
    services.push_back(std::move(service));
  }
  return services;
}

Json KubeflowJob::make_pod_group(const Json& job, const JobForm& form) const {
  Json group = jobs::make_pod_group(job, form);
  JsonObject& spec = group.at("spec").get_object();
  const Json* policy = find(job, "spec.runPolicy.schedulingPolicy");
  if (policy == nullptr) return group;
  if (const Json* least = find(*policy, "minAvailable")) spec["minMember"] = *least;
  spec["queue"] = string_at(*policy, "queue", "default");
  if (const Json* amounts = find(*policy, "minResources")) spec["minResources"] = *amounts;
  const std::string_view priority = string_at(*policy, "priorityClass");
  if (!priority.empty()) spec["priorityClassName"] = priority;
  return group;
}

std::string KubeflowJob::failure_headline(const Draft& draft, const EndRule& rule) const {
  const std::size_t group = rule.replicas.front().first;
  const auto failed =
      std::count_if(draft.observed.begin(), draft.observed.end(), [&](const Observed& one) {
        return one.replica.group == group && !one.surplus && one.ended_as == PodEnd::kFailed;
      });
  std::string_view word;
  for (const std::string_view role : roles()) {
    if (lower(role) == draft.form.groups[group].type) word = role;
  }
  return failure_words(draft.job, failed, word);
}

std::string KubeflowJob::limit_headline(const Draft& draft, EndedBy limit) const {
  return fmt::format("Job {} has failed because it {}", name_of(draft.job),
                     limit == EndedBy::kDeadline ? "was active longer than specified deadline"
                                                 : "has reached the specified backoff limit");
}

Json KubeflowJob::recall(const Json& job) const {
  const Json* memory = find(job, "status.trainyard");
  if (memory != nullptr && memory->is_object()) return *memory;
  // Jobs that another operator has finished stay finished.
  JsonObject status;
  for (const char* phase : {"Succeeded", "Failed"}) {
    if (has_condition(job, phase)) status["phase"] = phase;
  }
  if (const Json* end = find(job, "status.completionTime")) status["completionTime"] = *end;
  return status;
}

}  // namespace trainyard::jobs
