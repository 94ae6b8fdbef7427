#include "server/job_rules/job_rule_parts.h"

#include "object/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr std::size_t kLongestHostName = 63;

/// Services are named after the job, and their names are stricter than those of other objects.
bool can_begin_service_name(std::string_view name) {
  return name.front() >= 'a' && name.front() <= 'z' && name.find('.') == std::string_view::npos;
}

/// Clients differ in whether they send what they have not set.
bool is_unset(const Json* value) {
  return value == nullptr || value->is_null() ||
         (value->is_array() && value->get_array().empty()) ||
         (value->is_object() && value->get_object().empty());
}

bool is_same(const Json* before, const Json* after) {
  if (is_unset(before) || is_unset(after)) return is_unset(before) == is_unset(after);
  return *before == *after;
}

}  // namespace

std::string indexed_suffix(std::string_view type, std::int64_t replicas) {
  return fmt::format("-{}-{}", type, std::max<std::int64_t>(replicas, 1) - 1);
}

std::vector<PodsOfType> groups_of_t9k_job(const Json& job) {
  std::vector<PodsOfType> groups;
  for (const Json& spec : array_at(job, "spec.replicaSpecs")) {
    PodsOfType group;
    group.type = string_at(spec, "type");
    group.path = fmt::format("spec.replicaSpecs[{}]", groups.size());
    group.replicas = int_at(spec, "replicas", 1);
    group.pod = find(spec, "template.spec");
    group.longest_suffix = kSuffixOfT9kJob + indexed_suffix(group.type, group.replicas);
    groups.push_back(std::move(group));
  }
  return groups;
}

const PodsOfType* find_group(const std::vector<PodsOfType>& groups, std::string_view type) {
  for (const PodsOfType& group : groups) {
    if (group.type == type) return &group;
  }
  return nullptr;
}

void check_pod_names(const Json& job, const std::vector<PodsOfType>& groups, Findings& findings) {
  const std::string_view name = name_of(job);
  if (!check_subdomain_name(name).empty()) return;  // whoever checks names has said so
  if (!can_begin_service_name(name)) {
    findings.invalid("metadata.name", Json(name),
                     "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
                     "start with an alphabetic character, and end with an alphanumeric character: "
                     "Services are named after the job");
  }
  for (const PodsOfType& group : groups) {
    if (name.size() + group.longest_suffix.size() <= kLongestHostName) continue;
    findings.invalid("metadata.name", Json(name),
                     fmt::format("the pods' names, made of it and the replica type \"{}\", would "
                                 "exceed {} characters: shorten one",
                                 group.type, kLongestHostName));
  }
}

void check_pod_count(const std::string& path, const std::vector<PodsOfType>& groups,
                     Findings& findings) {
  constexpr std::int64_t kMost = 9999;
  std::int64_t total = 0;
  for (const PodsOfType& group : groups) total += group.replicas;
  if (total > kMost) {
    findings.too_many(path, total, fmt::format("a job may have {} replicas in all", kMost));
  }
  if (total == 0) findings.invalid(path, 0, "a job needs at least one replica");
}

void check_pod_specs(const std::vector<PodsOfType>& groups, PodSpecCheck check_pod_spec,
                     Findings& findings, std::string_view may_be_empty) {
  for (const PodsOfType& group : groups) {
    const std::string path = group.path + ".template.spec";
    if (group.pod != nullptr) {
      check_pod_spec(*group.pod, path, findings.list());
    } else if (group.type != may_be_empty) {
      findings.required(path + ".containers", "must have at least one container");
    }
  }
}

bool has_container(const Json& pod, std::string_view name) {
  const JsonArray& containers = array_at(pod, "containers");
  return std::any_of(containers.begin(), containers.end(),
                     [&](const Json& one) { return string_at(one, "name") == name; });
}

void check_container(const std::vector<PodsOfType>& groups, std::string_view name,
                     Findings& findings) {
  for (const PodsOfType& group : groups) {
    if (group.pod == nullptr || has_container(*group.pod, name)) continue;
    findings.required(group.path + ".template.spec.containers",
                      fmt::format("must have a container named {}, which does the work", name));
  }
}

bool debugs(const Json& job) {
  return bool_at(job, "spec.runMode.debug.enabled") || bool_at(job, "spec.runMode.debug.enable");
}

void check_run_mode(const Json& job, const std::vector<std::string_view>& types,
                    Findings& findings) {
  for (const char* list : {"spec.runMode.debug.replicaSpecs", "spec.runMode.pause.resumeSpecs"}) {
    std::size_t index = 0;
    for (const Json& entry : array_at(job, list)) {
      const std::string path = fmt::format("{}[{}].type", list, index++);
      const std::string_view type = string_at(entry, "type");
      if (std::find(types.begin(), types.end(), type) != types.end()) continue;
      findings.not_found(path, Json(type), "the job has no such replica type");
    }
  }
}

void check_amounts(const Json& object, const std::string& path, Findings& findings) {
  for (const auto& entry : object_at(object, path)) {
    const auto amount = Quantity::parse(entry.value());
    if (!amount || *amount >= Quantity()) continue;
    findings.invalid(member_path(path, entry.key()), entry.value(),
                     "must be greater than or equal to 0");
  }
}

void check_not_above(const Json& object, const std::string& path, const std::string& most,
                     std::string_view what, Findings& findings) {
  const JsonObject& bounds = object_at(object, most);
  for (const auto& entry : object_at(object, path)) {
    const Json* bound = bounds.if_contains(entry.key());
    if (bound == nullptr) continue;
    const auto amount = Quantity::parse(entry.value());
    const auto limit = Quantity::parse(*bound);
    if (!amount || !limit || *amount <= *limit) continue;
    findings.invalid(
        member_path(path, entry.key()), entry.value(),
        fmt::format("must be less than or equal to the {} of {}", what, to_text(*bound)));
  }
}

void check_unchanged(const Json& before, const Json& after,
                     const std::vector<std::string_view>& paths, Findings& findings) {
  for (const std::string_view path : paths) {
    if (is_same(find(before, path), find(after, path))) continue;
    findings.forbidden(std::string(path),
                       "cannot be changed once the job exists: delete the job and create it anew");
  }
}

void check_run_mode_unchanged(const Json& before, const Json& after, Findings& findings) {
  if (debugs(before) != debugs(after)) {
    findings.forbidden("spec.runMode.debug.enabled",
                       "cannot be changed once the job exists: delete the job and create it anew");
  }
  check_unchanged(before, after,
                  {"spec.runMode.debug.replicaSpecs", "spec.runMode.pause.resumeSpecs"}, findings);
}

}  // namespace trainyard::server
