#include "object/values/quantity.h"
#include "server/rules/defaults.h"

#include <algorithm>

namespace trainyard::server {
namespace {

/// Calls `change` with every container of a pod's spec.
template <class Change>
void for_each_container(Json& spec, Change change) {
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    JsonArray* containers = find_array(spec, list);
    if (containers == nullptr) continue;
    for (Json& container : *containers) {
      if (container.is_object()) change(container);
    }
  }
}

/// An image without a tag, or with the tag latest, may be another one tomorrow.
bool may_change(std::string_view image) {
  const std::size_t digest = image.find('@');
  const std::string_view name = image.substr(0, digest);
  const std::size_t colon = name.rfind(':');
  const std::size_t slash = name.rfind('/');
  const bool tagged =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  if (!tagged) return digest == std::string_view::npos;
  return name.substr(colon + 1) == "latest";
}

void complete_container(Json& container) {
  const std::string_view image = string_at(container, "image");
  if (!image.empty()) {
    set_default(container, "imagePullPolicy", may_change(image) ? "Always" : "IfNotPresent");
  }
}

void complete_volumes(Json& spec) {
  JsonArray* volumes = find_array(spec, "volumes");
  if (volumes == nullptr) return;
  for (Json& volume : *volumes) {
    const bool bare = volume.is_object() && volume.get_object().size() == 1 &&
                      volume.get_object().contains("name");
    if (bare) volume.get_object()["emptyDir"] = JsonObject();
  }
}

/// Two names of the same field, the second one older.
void complete_account(Json& spec) {
  if (string_at(spec, "serviceAccountName").empty()) {
    const std::string older(string_at(spec, "serviceAccount"));
    if (!older.empty()) spec.get_object()["serviceAccountName"] = older;
  }
  const std::string name(string_at(spec, "serviceAccountName"));
  if (!name.empty()) spec.get_object()["serviceAccount"] = name;
}

void complete_pod_spec(Json& spec) {
  if (!spec.is_object()) return;
  for_each_container(spec, complete_container);
  complete_volumes(spec);
  complete_account(spec);
}

/// Limits without requests are requests too.
void request_what_is_limited(Json& container) {
  const JsonObject limits = object_at(container, "resources.limits");
  for (const auto& limit : limits) {
    Json& requests = make_path(container, "resources.requests");
    if (!requests.is_object()) requests = JsonObject();
    if (!requests.get_object().contains(limit.key())) {
      requests.get_object()[limit.key()] = limit.value();
    }
  }
}

/// On the node's own network a container's port is the node's.
void use_node_ports(Json& container) {
  JsonArray* ports = find_array(container, "ports");
  if (ports == nullptr) return;
  for (Json& port : *ports) {
    const std::int64_t number = int_at(port, "containerPort");
    if (number != 0) set_default(port, "hostPort", number);
  }
}

bool tolerates(const JsonArray& tolerations, std::string_view key) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Json& toleration) {
    const std::string_view effect = string_at(toleration, "effect");
    const std::string_view its_key = string_at(toleration, "key");
    return (its_key == key || its_key.empty()) && (effect == "NoExecute" || effect.empty());
  });
}

/// A pod outlives a short absence of its node.
void tolerate_absent_node(Json& spec) {
  constexpr std::int64_t kSeconds = 300;
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    Json& tolerations = make_path(spec, "tolerations");
    if (tolerations.is_null()) tolerations = JsonArray();
    if (!tolerations.is_array()) return;  // validation says what is wrong
    if (tolerates(tolerations.get_array(), key)) continue;
    tolerations.get_array().push_back({{"key", key},
                                       {"operator", "Exists"},
                                       {"effect", "NoExecute"},
                                       {"tolerationSeconds", kSeconds}});
  }
}

bool has_amount(const Json& resources, std::string_view path) {
  const Json* amount = find(resources, path);
  return amount != nullptr && Quantity::parse(*amount).value_or(Quantity()) > Quantity();
}

/// Guaranteed: all containers are limited to what they ask for. BestEffort: none asks for anything.
std::string quality_of_service(const Json& pod) {
  bool any = false;
  bool all = true;
  for (const char* list : {"spec.containers", "spec.initContainers"}) {
    for (const Json& container : array_at(pod, list)) {
      for (const char* resource : {"cpu", "memory"}) {
        const std::string limit = std::string("resources.limits.") + resource;
        const std::string request = std::string("resources.requests.") + resource;
        const bool limited = has_amount(container, limit);
        const bool requested = has_amount(container, request);
        any = any || limited || requested;
        all = all && limited && requested &&
              Quantity::parse(*find(container, limit)).value_or(Quantity()) ==
                  Quantity::parse(*find(container, request)).value_or(Quantity());
      }
    }
  }
  if (!any) return "BestEffort";
  return all ? "Guaranteed" : "Burstable";
}

}  // namespace

void set_default(Json& object, std::string_view path, Json value) {
  Json* here = &object;
  while (!path.empty()) {
    if (here->is_null()) here->emplace_object();
    if (!here->is_object()) return;
    const std::size_t dot = std::min(path.find('.'), path.size());
    here = &here->get_object()[path.substr(0, dot)];
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  if (here->is_null()) *here = std::move(value);
}

void complete_pod(Json& pod) {
  Json* spec = find(pod, "spec");
  if (spec == nullptr || !spec->is_object()) return;
  complete_pod_spec(*spec);
  for_each_container(*spec, request_what_is_limited);
  if (bool_at(*spec, "hostNetwork")) for_each_container(*spec, use_node_ports);
  set_default(*spec, "enableServiceLinks", true);
  tolerate_absent_node(*spec);
}

void complete_pod_template(Json& object) {
  if (Json* spec = find(object, "spec.template.spec")) complete_pod_spec(*spec);
}

void start_pod(Json& pod) {
  set_default(pod, "spec.serviceAccountName", "default");
  set_default(pod, "spec.serviceAccount", Json(string_at(pod, "spec.serviceAccountName")));
  make_path(pod, "status") = JsonObject{{"phase", "Pending"}};
  classify_pod(pod);
}

void classify_pod(Json& pod) {
  make_path(pod, "status.qosClass") = quality_of_service(pod);
}

}  // namespace trainyard::server
