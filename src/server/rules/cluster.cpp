#include "object/values/metadata.h"
#include "object/values/names.h"
#include "object/values/quantity.h"
#include "server/rules/kind_rules.h"
#include "server/rules/resources.h"

#include <algorithm>
#include <set>

namespace trainyard::server {
namespace {

constexpr std::int64_t kHighestUserPriority = 1'000'000'000;

bool is_one_of(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What a quota without a slash may bound; requests.x and count/x come on top.
bool is_quota_resource(std::string_view name) {
  static const std::vector<std::string> kNames{"cpu",
                                               "memory",
                                               "ephemeral-storage",
                                               "requests.cpu",
                                               "requests.memory",
                                               "requests.storage",
                                               "requests.ephemeral-storage",
                                               "limits.cpu",
                                               "limits.memory",
                                               "limits.ephemeral-storage",
                                               "pods",
                                               "resourcequotas",
                                               "services",
                                               "replicationcontrollers",
                                               "secrets",
                                               "persistentvolumeclaims",
                                               "configmaps",
                                               "services.nodeports",
                                               "services.loadbalancers"};
  return is_one_of(kNames, name) || name.starts_with("hugepages-") ||
         name.starts_with("requests.hugepages-");
}

bool counts_objects(std::string_view name) {
  return name.starts_with("count/") || name == "pods" || name == "services" || name == "secrets" ||
         name == "configmaps" || name == "persistentvolumeclaims" || name == "resourcequotas" ||
         name == "replicationcontrollers" || name.starts_with("services.");
}

void check_bounds(const JsonObject& hard, const std::string& path, Errors& errors) {
  for (const auto& bound : hard) {
    const std::string_view name = key_of_member(bound);
    const std::string here = entry(path, name);
    const std::vector<std::string> problems = qualified_name_problems(name);
    add_problems(problems, here, name, errors);
    if (problems.empty() && name.find('/') == std::string_view::npos && !is_quota_resource(name)) {
      errors.push_back(
          field_errors::invalid(here, Json(name), "must be a standard resource for quota"));
    }
    const auto amount = Quantity::parse(bound.value());
    if (amount && counts_objects(name) && *amount != Quantity::of(amount->as_integer())) {
      errors.push_back(field_errors::invalid(here, bound.value(), "must be an integer"));
    }
  }
  check_amounts(hard, path, errors);
}

void check_scopes(const Json& quota, Errors& errors) {
  static const std::vector<std::string> kScopes{"BestEffort",           "CrossNamespacePodAffinity",
                                                "NotBestEffort",        "NotTerminating",
                                                "PriorityClass",        "Terminating",
                                                "VolumeAttributesClass"};
  std::set<std::string> given;
  for (const Json& scope : array_at(quota, "spec.scopes")) {
    const std::string name = scope.is_string() ? to_string(scope.get_string()) : to_text(scope);
    given.insert(name);
    if (!is_one_of(kScopes, name)) {
      errors.push_back(field_errors::invalid("spec.scopes", Json(array_at(quota, "spec.scopes")),
                                             "unsupported scope"));
    }
  }
  const bool conflict = (given.contains("BestEffort") && given.contains("NotBestEffort")) ||
                        (given.contains("Terminating") && given.contains("NotTerminating"));
  if (conflict) {
    errors.push_back(field_errors::invalid("spec.scopes", Json(array_at(quota, "spec.scopes")),
                                           "conflicting scopes"));
  }
  if (!given.contains("BestEffort")) return;
  // Pods of best effort ask for nothing, so that only their number can be bounded.
  for (const auto& bound : object_at(quota, "spec.hard")) {
    if (key_of_member(bound) == "pods" || key_of_member(bound) == "count/pods") continue;
    errors.push_back(field_errors::invalid("spec.scopes", Json(array_at(quota, "spec.scopes")),
                                           "unsupported scope applied to resource"));
    return;
  }
}

void check_scope_selector(const Json& quota, Errors& errors) {
  std::size_t index = 0;
  for (const Json& requirement : array_at(quota, "spec.scopeSelector.matchExpressions")) {
    const std::string here = at("spec.scopeSelector.matchExpressions", index++);
    const std::string_view op = string_at(requirement, "operator");
    const bool values = !array_at(requirement, "values").empty();
    if ((op == "In" || op == "NotIn") && !values) {
      errors.push_back(
          field_errors::required(here + ".values",
                                 "must be atleast one value when `operator` is 'In' or 'NotIn' for "
                                 "scope selector"));
    } else if ((op == "Exists" || op == "DoesNotExist") && values) {
      errors.push_back(field_errors::invalid(
          here + ".values", Json(array_at(requirement, "values")),
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"));
    }
  }
}

/// A smaller amount above a larger one.
void check_order(const Json& item, const char* low, const char* high, const std::string& path,
                 Errors& errors) {
  for (const auto& lower : object_at(item, low)) {
    const Json* upper = object_at(item, high).if_contains(lower.key());
    if (upper == nullptr) continue;
    const auto low_amount = Quantity::parse(lower.value());
    const auto high_amount = Quantity::parse(*upper);
    if (!low_amount || !high_amount || *low_amount <= *high_amount) continue;
    const std::string low_text = canonical_quantity(lower.value()).value_or("");
    errors.push_back(field_errors::invalid(
        entry(fmt::format("{}.{}", path, low), key_of_member(lower)), Json(low_text),
        fmt::format("{} value {} is greater than {} value {}",
                    low == std::string_view("defaultRequest") ? "default request" : low, low_text,
                    high, canonical_quantity(*upper).value_or(""))));
  }
}

}  // namespace

void check_node(const Json& node, Errors& errors) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& taint : array_at(node, "spec.taints")) {
    const std::string here = at("spec.taints", index++);
    const std::string_view key = string_at(taint, "key");
    add_problems(qualified_name_problems(key), here + ".key", key, errors);
    const std::string_view value = string_at(taint, "value");
    add_problems(label_value_problems(value), here + ".value", value, errors);
    const std::string identity = fmt::format("{}:{}", key, string_at(taint, "effect"));
    if (!seen.insert(identity).second) errors.push_back(field_errors::duplicate(here, taint));
  }
}

void check_event(const Json& event, Errors& errors) {
  const std::string_view about = string_at(event, "involvedObject.namespace");
  if (about.empty() || about == namespace_of(event)) return;
  errors.push_back(field_errors::invalid("involvedObject.namespace", Json(about),
                                         "does not match event.namespace"));
}

void check_lease(const Json& lease, Errors& errors) {
  const Json* duration = find(lease, "spec.leaseDurationSeconds");
  if (duration != nullptr && duration->is_int64() && duration->get_int64() <= 0) {
    errors.push_back(
        field_errors::invalid("spec.leaseDurationSeconds", *duration, "must be greater than 0"));
  }
  if (const std::int64_t count = int_at(lease, "spec.leaseTransitions"); count < 0) {
    errors.push_back(field_errors::invalid("spec.leaseTransitions", Json(count), kNotNegative));
  }
  if (!string_at(lease, "spec.preferredHolder").empty() &&
      string_at(lease, "spec.strategy").empty()) {
    errors.push_back(field_errors::forbidden("spec.preferredHolder",
                                             "may only be specified if `strategy` is defined"));
  }
}

void check_priority_class(const Json& priority, Errors& errors) {
  if (name_of(priority).starts_with("system-")) {
    const bool known = name_of(priority) == "system-node-critical" ||
                       name_of(priority) == "system-cluster-critical";
    if (!known) {
      errors.push_back(field_errors::forbidden(
          "metadata.name",
          "priority class names with 'system-' prefix are reserved for system use "
          "only"));
    }
  } else if (int_at(priority, "value") > kHighestUserPriority) {
    errors.push_back(field_errors::forbidden(
        "value", fmt::format("maximum allowed value of a user defined priority is {}",
                             kHighestUserPriority)));
  }
}

void check_priority_class_update(const Json& before, const Json& after, Errors& errors) {
  if (!same_field(before, after, "value")) {
    errors.push_back(field_errors::forbidden("value", "may not be changed in an update."));
  }
  check_field_unchanged(before, after, "preemptionPolicy", errors);
}

void check_quota(const Json& quota, Errors& errors) {
  check_bounds(object_at(quota, "spec.hard"), "spec.hard", errors);
  check_scopes(quota, errors);
  check_scope_selector(quota, errors);
}

void check_quota_update(const Json& before, const Json& after, Errors& errors) {
  if (array_at(before, "spec.scopes") == array_at(after, "spec.scopes")) return;
  errors.push_back(
      field_errors::invalid("spec.scopes", Json(array_at(after, "spec.scopes")), kImmutable));
}

void check_limit_range(const Json& range, Errors& errors) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& item : array_at(range, "spec.limits")) {
    const std::string here = at("spec.limits", index++);
    const std::string type(string_at(item, "type"));
    if (!seen.insert(type).second) {
      errors.push_back(field_errors::duplicate(here + ".type", Json(type)));
    }
    if (type == "Pod") {
      for (const char* field : {"default", "defaultRequest"}) {
        if (object_at(item, field).empty()) continue;
        errors.push_back(field_errors::forbidden(fmt::format("{}.{}", here, field),
                                                 "may not be specified when `type` is 'Pod'"));
      }
    }
    for (const char* list : {"max", "min", "default", "defaultRequest"}) {
      check_amounts(object_at(item, list), fmt::format("{}.{}", here, list), errors);
    }
    check_order(item, "min", "max", here, errors);
    check_order(item, "min", "defaultRequest", here, errors);
    check_order(item, "defaultRequest", "max", here, errors);
    check_order(item, "defaultRequest", "default", here, errors);
    check_order(item, "default", "max", here, errors);
  }
}

}  // namespace trainyard::server
