#include "jobs/generic_job.h"

#include "jobs/engine/form/names.h"
#include "jobs/engine/form/run_mode.h"
#include "jobs/engine/form/training_spec.h"
#include "jobs/engine/plan/children.h"
#include "jobs/engine/plan/draft.h"
#include "jobs/generic_variables.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::jobs {
namespace {

constexpr const char* kJobLabel = "genericjob";
constexpr const char* kReplicaLabel = "genericjob-replica";

std::optional<std::size_t> find_type(const JobForm& form, std::string_view type) {
  for (std::size_t i = 0; i < form.groups.size(); ++i) {
    if (form.groups[i].type == type) return i;
  }
  return std::nullopt;
}

/// Indices are numbers, or numbers in quotes.
std::int64_t read_index(const Json& value) {
  if (value.is_int64()) return value.get_int64();
  std::int64_t index = -1;
  if (const JsonString* text = value.if_string()) {
    std::from_chars(text->data(), text->data() + text->size(), index);
  }
  return index;
}

std::vector<EndRule> read_rules(const JobForm& form, const JsonArray& list) {
  std::vector<EndRule> rules;
  for (const Json& entry : list) {
    EndRule rule;
    for (const auto& [type, indices] : entry.get_object()) {
      const auto group = find_type(form, type);
      if (!group || !indices.is_array()) continue;
      for (const Json& index : indices.get_array()) {
        rule.replicas.emplace_back(*group, read_index(index));
      }
    }
    // A rule about no pod would hold before anything has run.
    if (!rule.replicas.empty()) rules.push_back(std::move(rule));
  }
  return rules;
}

/// Without a rule for success, a job succeeds when every replica did; without any rule, it fails
/// when one failed.
void add_usual_rules(JobForm& form) {
  if (!form.ends.success_rules.empty()) return;
  form.ends.success_is_usual = true;
  const bool any_fails = form.ends.failure_rules.empty();
  EndRule all;
  for (const Replica& replica : replicas_of(form)) {
    all.replicas.emplace_back(replica.group, replica.index);
    if (any_fails) form.ends.failure_rules.push_back(EndRule{{{replica.group, replica.index}}});
  }
  form.ends.success_rules.push_back(std::move(all));
}

}  // namespace

JobForm GenericJob::read(const Json& job) const {
  JobForm form;
  form.ends.has_master = false;
  form.limits.backoff.reset();
  form.meeting.ports = 0;
  for (const Json& spec : array_at(job, "spec.replicaSpecs")) {
    ReplicaGroup group;
    group.type = string_at(spec, "type");
    group.replicas = int_at(spec, "replicas", 1);
    group.restart = read_restart_policy(string_at(spec, "restartPolicy.policy"));
    group.restart_limit = int_at(spec, "restartPolicy.limit");
    form.groups.push_back(std::move(group));
  }
  form.ends.clean_up = read_clean_up(string_at(job, "spec.cleanUpPolicy"));
  form.paused = bool_at(job, "spec.runMode.pause.enabled");
  form.ends.success_rules = read_rules(form, array_at(job, "spec.successRules"));
  form.ends.failure_rules = read_rules(form, array_at(job, "spec.failureRules"));
  add_usual_rules(form);
  return form;
}

Json GenericJob::make_pod(const Json& job, const JobForm& form, const Replica& replica,
                          std::int64_t /*port*/) const {
  const ReplicaGroup& group = form.groups[replica.group];
  Json pod = make_template_pod(job, group, main_container());
  Json& labels = make_path(pod, "metadata.labels");
  if (!labels.is_object()) labels = JsonObject();
  labels.get_object()[kJobLabel] = name_of(job);
  labels.get_object()[kReplicaLabel] = replica_service_name(job, group.type, replica.index);
  substitute_variables(pod, job, form, replica);
  return pod;
}

std::vector<Json> GenericJob::make_services(const Json& job, const JobForm& form) const {
  std::vector<Json> services{make_headless_service(job)};
  const JsonArray& ports = array_at(job, "spec.service.ports");
  if (ports.empty()) return services;
  for (const Replica& replica : replicas_of(form)) {
    const std::string& type = form.groups[replica.group].type;
    const std::string name = replica_service_name(job, type, replica.index);
    Json service = make_child(job, "v1", "Service", name);
    JsonArray own = ports;
    for (Json& port : own) port.get_object().erase("nodePort");
    service.get_object()["spec"] =
        JsonObject{{"publishNotReadyAddresses", true},
                   {"selector", {{kOwnerNameLabel, name_of(job)}, {kReplicaLabel, name}}},
                   {"ports", std::move(own)}};
    services.push_back(std::move(service));
  }
  return services;
}

std::string GenericJob::failure_headline(const Draft& draft, const EndRule& rule) const {
  JsonObject words;
  for (const auto& [group, index] : rule.replicas) {
    const std::string& type = draft.form.groups[group].type;
    if (!words.contains(type)) words[type] = JsonArray();
    words[type].get_array().emplace_back(std::to_string(index));
  }
  return "The job is failed with rule: " + to_text(words);
}

}  // namespace trainyard::jobs
