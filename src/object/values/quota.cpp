#include "object/values/quota.h"

#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace trainyard {
namespace {

constexpr std::string_view kClassPart = ".storageclass.storage.k8s.io/";

std::string_view text_of(const Json& value) {
  if (!value.is_string()) return {};
  return {value.get_string().data(), value.get_string().size()};
}

void add(Amounts& total, const Amounts& more) {
  for (const auto& [name, amount] : more) total[name] += amount;
}

void raise_to(Amounts& total, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    const auto [entry, fresh] = total.try_emplace(name, amount);
    if (!fresh) entry->second = std::max(entry->second, amount);
  }
}

Amounts read_amounts(const JsonObject& values) {
  Amounts amounts;
  for (const auto& value : values) {
    if (auto amount = Quantity::parse(value.value())) amounts[value.key()] = *amount;
  }
  return amounts;
}

/// Who states a limit and no request asks for as much as the limit.
Amounts container_resources(const Json& container, bool limits) {
  Amounts amounts = read_amounts(object_at(container, "resources.limits"));
  if (limits) return amounts;
  for (const auto& [name, amount] : read_amounts(object_at(container, "resources.requests"))) {
    amounts[name] = amount;
  }
  return amounts;
}

bool is_native(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

Amounts pod_usage(const Json& pod) {
  Amounts usage;
  if (has_ended(pod)) return usage;
  usage["pods"] = Quantity::of(1);
  for (const auto& [name, amount] : pod_resources(pod, false)) {
    if (is_native(name)) usage[name] = amount;
    usage["requests." + name] = amount;
  }
  for (const auto& [name, amount] : pod_resources(pod, true)) {
    if (is_native(name)) usage["limits." + name] = amount;
  }
  return usage;
}

Amounts service_usage(const Json& service) {
  Amounts usage;
  const std::string_view type = string_at(service, "spec.type");
  const auto ports = static_cast<std::int64_t>(array_at(service, "spec.ports").size());
  const bool balanced = type == "LoadBalancer";
  if (balanced) usage["services.loadbalancers"] = Quantity::of(1);
  if (type == "NodePort" ||
      (balanced && bool_at(service, "spec.allocateLoadBalancerNodePorts", true))) {
    usage["services.nodeports"] = Quantity::of(ports);
  }
  return usage;
}

Amounts claim_usage(const Json& claim) {
  Amounts usage;
  const Json* storage = find(claim, "spec.resources.requests.storage");
  const auto amount = storage == nullptr ? Result<Quantity>() : Quantity::parse(*storage);
  if (amount) usage["requests.storage"] = *amount;
  const std::string storage_class(string_at(claim, "spec.storageClassName"));
  if (!storage_class.empty()) {
    const std::string prefix = storage_class + std::string(kClassPart);
    usage[prefix + "persistentvolumeclaims"] = Quantity::of(1);
    if (amount) usage[prefix + "requests.storage"] = *amount;
  }
  return usage;
}

bool has_name_of_its_own(std::string_view plural) {
  static constexpr std::array<std::string_view, 6> kNamed{
      "services",      "secrets", "configmaps", "persistentvolumeclaims", "replicationcontrollers",
      "resourcequotas"};
  return std::find(kNamed.begin(), kNamed.end(), plural) != kNamed.end();
}

// ---- scopes -------------------------------------------------------------------------------------

bool is_best_effort(const Json& pod) {
  const auto asks = [](const JsonArray& containers) {
    return std::any_of(containers.begin(), containers.end(), [](const Json& container) {
      Amounts amounts = container_resources(container, false);
      return amounts["cpu"] > Quantity() || amounts["memory"] > Quantity();
    });
  };
  return !asks(array_at(pod, "spec.containers")) && !asks(array_at(pod, "spec.initContainers"));
}

bool names_other_namespaces(const Json& term) {
  return !array_at(term, "namespaces").empty() || find(term, "namespaceSelector") != nullptr;
}

bool has_far_affinity(const Json& pod) {
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    const Json* affinity = find(pod, std::string("spec.affinity.") + kind);
    if (affinity == nullptr) continue;
    for (const Json& term : array_at(*affinity, "requiredDuringSchedulingIgnoredDuringExecution")) {
      if (names_other_namespaces(term)) return true;
    }
    for (const Json& term :
         array_at(*affinity, "preferredDuringSchedulingIgnoredDuringExecution")) {
      const Json* inner = find(term, "podAffinityTerm");
      if (inner != nullptr && names_other_namespaces(*inner)) return true;
    }
  }
  return false;
}

bool matches_priority(const Json& expression, const Json& pod) {
  const std::string_view name = string_at(pod, "spec.priorityClassName");
  const std::string_view op = string_at(expression, "operator");
  if (op == "Exists" || op.empty()) return !name.empty();
  if (op == "DoesNotExist") return name.empty();
  const JsonArray& values = array_at(expression, "values");
  const bool listed = std::any_of(values.begin(), values.end(),
                                  [&](const Json& value) { return text_of(value) == name; });
  return op == "NotIn" ? !listed : listed;
}

bool matches_scope(std::string_view scope, const Json& expression, const Json& pod) {
  const bool terminating = find(pod, "spec.activeDeadlineSeconds") != nullptr;
  if (scope == "Terminating") return terminating;
  if (scope == "NotTerminating") return !terminating;
  if (scope == "BestEffort") return is_best_effort(pod);
  if (scope == "NotBestEffort") return !is_best_effort(pod);
  if (scope == "PriorityClass") return matches_priority(expression, pod);
  return scope == "CrossNamespacePodAffinity" && has_far_affinity(pod);
}

}  // namespace

Amounts pod_resources(const Json& pod, bool limits) {
  // Init containers run one after the other, beside those before them that never end.
  Amounts sidecars;
  Amounts worst;
  for (const Json& container : array_at(pod, "spec.initContainers")) {
    const Amounts own = container_resources(container, limits);
    if (string_at(container, "restartPolicy") == "Always") {
      add(sidecars, own);
      raise_to(worst, sidecars);
    } else {
      Amounts moment = sidecars;
      add(moment, own);
      raise_to(worst, moment);
    }
  }
  Amounts total = sidecars;
  for (const Json& container : array_at(pod, "spec.containers")) {
    add(total, container_resources(container, limits));
  }
  raise_to(total, worst);
  const Amounts overhead = read_amounts(object_at(pod, "spec.overhead"));
  for (const auto& [name, amount] : overhead) {
    if (!limits || total.contains(name)) total[name] += amount;
  }
  return total;
}

Amounts quota_usage(const Json& object, const Resource& resource) {
  Amounts usage;
  if (resource.plural == "events") return usage;  // they go by themselves
  if (resource.group.empty() && resource.plural == "pods") usage = pod_usage(object);
  if (resource.group.empty() && resource.plural == "services") usage = service_usage(object);
  if (resource.group.empty() && resource.plural == "persistentvolumeclaims") {
    usage = claim_usage(object);
  }
  if (resource.group.empty() && has_name_of_its_own(resource.plural)) {
    usage[resource.plural] = Quantity::of(1);
  }
  const std::string full =
      resource.group.empty() ? resource.plural : resource.plural + "." + resource.group;
  usage["count/" + full] = Quantity::of(1);
  return usage;
}

Amounts quota_usage(const Json& object, const Resource& resource, const Json& quota) {
  if (!matches_scopes(quota, object, resource)) return {};
  Amounts usage = quota_usage(object, resource);
  const JsonObject& bounds = object_at(quota, "spec.hard");
  std::erase_if(usage, [&](const auto& entry) { return !bounds.contains(entry.first); });
  return usage;
}

bool quota_depends_on_content(const Resource& resource) {
  return resource.group.empty() && (resource.plural == "pods" || resource.plural == "services" ||
                                    resource.plural == "persistentvolumeclaims");
}

bool matches_scopes(const Json& quota, const Json& object, const Resource& resource) {
  const JsonArray& scopes = array_at(quota, "spec.scopes");
  const JsonArray& expressions = array_at(quota, "spec.scopeSelector.matchExpressions");
  if (scopes.empty() && expressions.empty()) return true;
  if (!resource.group.empty() || resource.plural != "pods") return false;
  static const Json kExists(JsonObject{{"operator", "Exists"}});
  return std::all_of(
             scopes.begin(), scopes.end(),
             [&](const Json& scope) { return matches_scope(text_of(scope), kExists, object); }) &&
         std::all_of(expressions.begin(), expressions.end(), [&](const Json& expression) {
           return matches_scope(string_at(expression, "scopeName"), expression, object);
         });
}

std::string missing_for_quota(const Json& quota, const Json& pod) {
  struct Needed {
    const char* bound;
    const char* resource;
    bool limit;
  };
  static constexpr std::array<Needed, 6> kNeeded{{{"cpu", "cpu", false},
                                                  {"limits.cpu", "cpu", true},
                                                  {"limits.memory", "memory", true},
                                                  {"memory", "memory", false},
                                                  {"requests.cpu", "cpu", false},
                                                  {"requests.memory", "memory", false}}};
  const JsonObject& bounds = object_at(quota, "spec.hard");
  std::string missing;
  for (const Needed& needed : kNeeded) {
    if (!bounds.contains(needed.bound)) continue;
    std::set<std::string_view> containers;
    for (const char* list : {"spec.containers", "spec.initContainers"}) {
      for (const Json& container : array_at(pod, list)) {
        if (container_resources(container, needed.limit).contains(needed.resource)) continue;
        containers.insert(string_at(container, "name"));
      }
    }
    if (containers.empty()) continue;
    missing += fmt::format("{}{} for: {}", missing.empty() ? "must specify " : "; ", needed.bound,
                           fmt::join(containers, ","));
  }
  return missing;
}

Resource resource_behind(std::string_view name) {
  if (name.starts_with("count/")) {
    name.remove_prefix(6);
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return {"", "", std::string(name)};
    return {std::string(name.substr(dot + 1)), "", std::string(name.substr(0, dot))};
  }
  if (has_name_of_its_own(name)) return {"", "", std::string(name)};
  if (name.starts_with("services.")) return {"", "", "services"};
  if (name == "requests.storage" || name.find(kClassPart) != std::string_view::npos) {
    return {"", "", "persistentvolumeclaims"};
  }
  const bool compute = name == "pods" || name == "cpu" || name == "memory" ||
                       name == "ephemeral-storage" || name.starts_with("hugepages-") ||
                       name.starts_with("requests.") || name.starts_with("limits.");
  return {"", "", compute ? "pods" : ""};
}

}  // namespace trainyard
