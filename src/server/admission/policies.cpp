#include "server/admission/policies.h"

#include "object/values/quantity.h"
#include "server/rules/defaults.h"
#include "server/status.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

constexpr std::int64_t kCriticalPriority = 2'000'000'000;
constexpr const char* kDefaultClass = "storageclass.kubernetes.io/is-default-class";

void set_missing(Json& container, std::string_view list, const JsonObject& values) {
  for (const auto& value : values) {
    Json& target = make_path(container, fmt::format("resources.{}", list));
    if (!target.is_object()) target = JsonObject();
    if (!target.get_object().contains(value.key())) {
      target.get_object()[value.key()] = value.value();
    }
  }
}

/// One bound of a LimitRange: `most` says which side `bound` is on.
void check_bound(const JsonObject& amounts, const JsonObject& bounds, bool most,
                 const std::string& path, std::vector<FieldError>& errors) {
  for (const auto& bound : bounds) {
    const Json* amount = amounts.if_contains(bound.key());
    if (amount == nullptr) continue;
    const auto value = Quantity::parse(*amount);
    const auto limit = Quantity::parse(bound.value());
    if (!value || !limit || (most ? *value <= *limit : *value >= *limit)) continue;
    errors.push_back({fmt::format("{}.{}", path, std::string_view(bound.key())),
                      fmt::format("Invalid value: {}: {} {} usage per Container is {}",
                                  to_text(*amount), most ? "maximum" : "minimum",
                                  std::string_view(bound.key()), to_text(bound.value())),
                      "FieldValueInvalid"});
  }
}

Error forbidden(const Kind& kind, const Json& object, const std::string& why,
                std::vector<FieldError> causes = {}) {
  return forbidden_object(kind, std::string(name_of(object)), why, std::move(causes));
}

}  // namespace

Result<> Policies::check_namespace(const Kind& kind, const std::string& ns,
                                   const Json& object) const {
  const ObjectPtr found = store_.get("namespaces", Key{"", ns});
  if (found == nullptr) {
    return Error(Code::kNotFound, fmt::format("namespaces \"{}\" not found", ns));
  }
  if (!is_being_deleted(found->body())) return Ok();
  return forbidden(
      kind, object,
      fmt::format("unable to create new content in namespace {} because it is being terminated",
                  ns),
      {{"metadata.namespace", fmt::format("namespace {} is being terminated", ns),
        "NamespaceTerminating"}});
}

Result<> Policies::apply_limit_ranges(const std::string& ns, Json& pod) const {
  std::vector<FieldError> errors;
  for (const ObjectPtr& range : store_.list("limitranges", ns).objects) {
    for (const Json& limit : array_at(range->body(), "spec.limits")) {
      if (string_at(limit, "type") != "Container") continue;
      Json* containers = find(pod, "spec.containers");
      std::size_t index = 0;
      for (Json& container : containers->get_array()) {
        set_missing(container, "limits", object_at(limit, "default"));
        set_missing(container, "requests", object_at(limit, "defaultRequest"));
        const std::string path = fmt::format("spec.containers[{}].resources", index++);
        const JsonObject& limits = object_at(container, "resources.limits");
        const JsonObject& requests = object_at(container, "resources.requests");
        check_bound(limits, object_at(limit, "max"), true, path + ".limits", errors);
        check_bound(requests, object_at(limit, "max"), true, path + ".requests", errors);
        check_bound(requests, object_at(limit, "min"), false, path + ".requests", errors);
      }
    }
  }
  if (errors.empty()) return Ok();
  std::string list;
  for (const FieldError& error : errors) {
    list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", error.field, error.message);
  }
  return Error(Code::kForbidden, fmt::format("pods \"{}\" is forbidden: {}", name_of(pod), list),
               std::move(errors));
}

Result<> Policies::resolve_priority(Json& pod) const {
  const std::string name(string_at(pod, "spec.priorityClassName"));
  std::int64_t priority = 0;
  std::string preemption = "PreemptLowerPriority";
  if (name == "system-node-critical") {
    priority = kCriticalPriority + 1000;
  } else if (name == "system-cluster-critical") {
    priority = kCriticalPriority;
  } else if (!name.empty()) {
    const ObjectPtr found = store_.get("scheduling.k8s.io/priorityclasses", Key{"", name});
    if (found == nullptr) {
      return Error(Code::kForbidden,
                   fmt::format("pods \"{}\" is forbidden: no PriorityClass with name {} was found",
                               name_of(pod), name));
    }
    priority = int_at(found->body(), "value");
    preemption = string_at(found->body(), "preemptionPolicy", preemption);
  } else {
    for (const ObjectPtr& one : store_.list("scheduling.k8s.io/priorityclasses", "").objects) {
      if (!bool_at(one->body(), "globalDefault")) continue;
      priority = int_at(one->body(), "value");
      preemption = string_at(one->body(), "preemptionPolicy", preemption);
      make_path(pod, "spec.priorityClassName") = name_of(one->body());
    }
  }
  make_path(pod, "spec.priority") = priority;
  if (const std::string_view asked = string_at(pod, "spec.preemptionPolicy", preemption);
      asked != preemption) {
    return Error(Code::kForbidden,
                 fmt::format("pods \"{}\" is forbidden: the string value of PreemptionPolicy ({}) "
                             "must not be provided in pod spec; priority admission controller "
                             "computed {} from the given PriorityClass name",
                             name_of(pod), asked, preemption));
  }
  make_path(pod, "spec.preemptionPolicy") = preemption;
  return Ok();
}

Result<> Policies::check_service_account(const std::string& ns, const Json& pod) const {
  const std::string name(string_at(pod, "spec.serviceAccountName", "default"));
  // A namespace's own account comes a moment after the namespace; nobody need wait for it.
  if (name == "default" || store_.get("serviceaccounts", Key{ns, name}) != nullptr) return Ok();
  return Error(Code::kForbidden,
               fmt::format("pods \"{}\" is forbidden: error looking up service account {}/{}: "
                           "serviceaccount \"{}\" not found",
                           name_of(pod), ns, name, name));
}

void Policies::choose_storage_class(Json& claim) const {
  if (find(claim, "spec.storageClassName") != nullptr) return;
  for (const ObjectPtr& one : store_.list("storage.k8s.io/storageclasses", "").objects) {
    if (annotation_of(one->body(), kDefaultClass) == "true") {
      make_path(claim, "spec.storageClassName") = name_of(one->body());
    }
  }
}

Result<> Policies::admit_create(const Kind& kind, const std::string& ns, Json& object) const {
  if (kind.namespaced) TRY_OK(check_namespace(kind, ns, object));
  if (kind.resource == kVolumeClaims) choose_storage_class(object);
  if (kind.resource != kPods) return Ok();
  TRY_OK(check_service_account(ns, object));
  TRY_OK(resolve_priority(object));
  TRY_OK(apply_limit_ranges(ns, object));
  classify_pod(object);  // what limit ranges have filled in counts
  return Ok();
}

}  // namespace trainyard::server
