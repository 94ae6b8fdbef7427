#include "base/crypto/ids.h"
#include "object/values/metadata.h"
#include "object/values/quantity.h"
#include "server/rules/defaults.h"

namespace trainyard::server {
namespace {

constexpr const char* kAccessGroup = "rbac.authorization.k8s.io";

/// Copies entries that the target lacks.
void add_missing(const JsonObject& source, Json& target) {
  if (!target.is_object()) target = JsonObject();
  for (const auto& member : source) {
    if (!target.get_object().contains(member.key())) {
      target.get_object()[member.key()] = member.value();
    }
  }
}

void complete_service_addresses(Json& spec) {
  const std::string ip(string_at(spec, "clusterIP"));
  JsonArray* ips = find_array(spec, "clusterIPs");
  if (!ip.empty() && (ips == nullptr || ips->empty())) {
    spec.get_object()["clusterIPs"] = JsonArray{ip};
  } else if (ip.empty() && ips != nullptr && !ips->empty()) {
    const Json first = ips->front();
    spec.get_object()["clusterIP"] = first;
  }
  set_default(spec, "ipFamilyPolicy", "SingleStack");
  if (array_at(spec, "ipFamilies").empty()) spec.get_object()["ipFamilies"] = JsonArray{"IPv4"};
}

/// A schema says which values are amounts; a map's amounts are its additional properties.
void canonicalize(const Schema& schema, Json& value) {
  if (schema.is_quantity()) {
    if (auto text = canonical_quantity(value)) value = *text;
    return;
  }
  if (value.is_object()) {
    for (auto& member : value.get_object()) {
      const std::string_view name(member.key().data(), member.key().size());
      if (const Schema* child = schema.property(name)) canonicalize(*child, member.value());
    }
  } else if (value.is_array() && schema.items() != nullptr) {
    for (Json& element : value.get_array()) canonicalize(*schema.items(), element);
  }
}

}  // namespace

void write_amounts(const Schema& schema, Json& object) {
  canonicalize(schema, object);
}

void complete_namespace(Json& ns) {
  const std::string name(name_of(ns));
  if (name.empty()) return;
  Json& labels = make_path(ns, "metadata.labels");
  if (!labels.is_object()) labels = JsonObject();
  labels.get_object()["kubernetes.io/metadata.name"] = name;
}

void complete_service(Json& service) {
  Json* spec = find(service, "spec");
  if (spec == nullptr || !spec->is_object()) return;
  if (JsonArray* ports = find_array(*spec, "ports")) {
    for (Json& port : *ports) {
      const Json* number = find(port, "port");
      if (number != nullptr && number->is_int64()) set_default(port, "targetPort", *number);
    }
  }
  const std::string type(string_at(*spec, "type"));
  if (type == "ExternalName") return;
  complete_service_addresses(*spec);
  set_default(*spec, "internalTrafficPolicy", "Cluster");
  if (type == "NodePort" || type == "LoadBalancer") {
    set_default(*spec, "externalTrafficPolicy", "Cluster");
  }
  if (type == "LoadBalancer") set_default(*spec, "allocateLoadBalancerNodePorts", true);
  if (string_at(*spec, "sessionAffinity") == "ClientIP") {
    set_default(*spec, "sessionAffinityConfig.clientIP.timeoutSeconds", 10800);
  }
}

void complete_secret(Json& secret) {
  const JsonObject plain = object_at(secret, "stringData");
  for (const auto& value : plain) {
    if (!value.value().is_string()) return;  // validation says what is wrong
  }
  for (const auto& value : plain) {
    Json& data = make_path(secret, "data");
    if (!data.is_object()) data = JsonObject();
    data.get_object()[value.key()] = base64_encode(to_string(value.value().get_string()));
  }
  if (secret.is_object() && find(secret, "stringData") != nullptr) {
    JsonObject& members = secret.get_object();
    members.stable_erase(members.find("stringData"));
  }
}

void complete_deployment(Json& deployment) {
  complete_pod_template(deployment);
  if (string_at(deployment, "spec.strategy.type") != "RollingUpdate") return;
  set_default(deployment, "spec.strategy.rollingUpdate.maxUnavailable", "25%");
  set_default(deployment, "spec.strategy.rollingUpdate.maxSurge", "25%");
}

void complete_stateful_set(Json& set) {
  complete_pod_template(set);
  if (string_at(set, "spec.updateStrategy.type") != "RollingUpdate") return;
  set_default(set, "spec.updateStrategy.rollingUpdate.partition", 0);
}

void complete_batch_job(Json& job) {
  complete_pod_template(job);
  Json* spec = find(job, "spec");
  if (spec == nullptr || !spec->is_object()) return;
  const bool parallel = find(*spec, "parallelism") != nullptr;
  if (find(*spec, "completions") == nullptr && !parallel) set_default(*spec, "completions", 1);
  if (!parallel) set_default(*spec, "parallelism", 1);
  const bool per_index = find(*spec, "backoffLimitPerIndex") != nullptr;
  set_default(*spec, "backoffLimit", per_index ? 2147483647 : 6);
  const bool judges = find(*spec, "podFailurePolicy") != nullptr;
  set_default(*spec, "podReplacementPolicy", judges ? "Failed" : "TerminatingOrFailed");
}

void complete_role_binding(Json& binding) {
  JsonArray* subjects = find_array(binding, "subjects");
  if (subjects == nullptr) return;
  for (Json& subject : *subjects) {
    const std::string_view kind = string_at(subject, "kind");
    if (kind == "User" || kind == "Group") set_default(subject, "apiGroup", kAccessGroup);
  }
}

void complete_limit_range(Json& range) {
  JsonArray* limits = find_array(range, "spec.limits");
  if (limits == nullptr) return;
  for (Json& item : *limits) {
    if (string_at(item, "type") != "Container" || !item.is_object()) continue;
    // Copies, since a new member moves the others.
    const JsonObject most = object_at(item, "max");
    const JsonObject least = object_at(item, "min");
    add_missing(most, item.get_object()["default"]);
    const JsonObject usual = object_at(item, "default");
    add_missing(usual, item.get_object()["defaultRequest"]);
    add_missing(least, item.get_object()["defaultRequest"]);
  }
}

void complete_definition(Json& definition) {
  const std::string kind(string_at(definition, "spec.names.kind"));
  if (kind.empty()) return;
  std::string singular;
  for (const char c : kind) {
    singular += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  set_default(definition, "spec.names.singular", Json(singular));
  set_default(definition, "spec.names.listKind", Json(kind + "List"));
}

void start_batch_job(Json& job) {
  if (bool_at(job, "spec.manualSelector")) return;
  const std::string uid(uid_of(job));
  Json& labels = make_path(job, "spec.template.metadata.labels");
  if (!labels.is_object()) labels = JsonObject();
  for (const char* prefix : {"", "batch.kubernetes.io/"}) {
    labels.get_object()[std::string(prefix) + "controller-uid"] = uid;
    labels.get_object()[std::string(prefix) + "job-name"] = std::string(name_of(job));
  }
  if (find(job, "spec.selector") == nullptr) {
    make_path(job, "spec.selector.matchLabels") =
        JsonObject{{"batch.kubernetes.io/controller-uid", uid}};
  }
}

}  // namespace trainyard::server
