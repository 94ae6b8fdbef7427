#include "workloads/endpoints_plan.h"

#include "object/values/status.h"
#include "workloads/apps/pods.h"
#include "workloads/apps/revision.h"
#include "workloads/text.h"

#include <fmt/format.h>

#include <optional>

namespace trainyard::workloads {
namespace {

std::optional<std::int64_t> named_port(const Json& pod, std::string_view name,
                                       std::string_view protocol) {
  for (const Json& container : array_at(pod, "spec.containers")) {
    for (const Json& port : array_at(container, "ports")) {
      if (string_at(port, "name") == name && string_at(port, "protocol", "TCP") == protocol) {
        return int_at(port, "containerPort");
      }
    }
  }
  return std::nullopt;
}

/// Where a pod is to be reached for each of the service's ports. A name may mean another number in
/// another pod, or nothing.
JsonArray ports_at(const Json& service, const Json& pod) {
  JsonArray ports;
  for (const Json& port : array_at(service, "spec.ports")) {
    const std::string_view protocol = string_at(port, "protocol", "TCP");
    const Json& target = json_at(port, "targetPort");
    std::optional<std::int64_t> number = int_at(port, "port");
    if (target.is_string()) {
      number = named_port(pod, text_of(target), protocol);
    } else if (target.is_number()) {
      number = int_at(port, "targetPort");
    }
    if (!number) continue;
    JsonObject entry;
    if (!string_at(port, "name").empty()) entry["name"] = string_at(port, "name");
    entry["port"] = *number;
    entry["protocol"] = protocol;
    ports.push_back(std::move(entry));
  }
  return ports;
}

/// What both kinds say of a pod beside its address.
JsonObject details_of(const Json& service, const Json& pod) {
  JsonObject details;
  const std::string_view host = string_at(pod, "spec.hostname");
  if (!host.empty() && string_at(pod, "spec.subdomain") == name_of(service)) {
    details["hostname"] = host;
  }
  const std::string_view node = string_at(pod, "spec.nodeName");
  if (!node.empty()) details["nodeName"] = node;
  details["targetRef"] = {{"kind", "Pod"},
                          {"namespace", namespace_of(pod)},
                          {"name", name_of(pod)},
                          {"uid", uid_of(pod)}};
  return details;
}

/// Pods that end are left out, unless the service wants to hear of all: its peers meet while they
/// come up and part while they go down.
bool is_listed(const Json& pod, bool all) {
  if (string_at(pod, "status.podIP").empty() || has_ended(pod)) return false;
  return all || !is_being_deleted(pod);
}

/// Pods that are to be reached at the same ports.
struct Group {
  JsonArray ports;
  struct Member {
    ObjectPtr pod;
    bool ready = false;
  };
  std::vector<Member> members;
};

std::vector<Group> group_by_ports(const Json& service, const std::vector<ObjectPtr>& pods) {
  const bool all = bool_at(service, "spec.publishNotReadyAddresses");
  const bool portless = array_at(service, "spec.ports").empty();
  std::map<std::string, Group> groups;  // by the text of their ports
  for (const ObjectPtr& pod : pods) {
    const Json& body = pod->body();
    if (!is_listed(body, all)) continue;
    JsonArray ports = ports_at(service, body);
    if (ports.empty() && !portless) continue;
    Group& group = groups[to_text(ports)];
    group.ports = std::move(ports);
    group.members.push_back({pod, all || is_ready_pod(body)});
  }
  std::vector<Group> ordered;
  for (auto& [text, group] : groups) ordered.push_back(std::move(group));
  return ordered;
}

Json slice_entry(const Json& service, const Group::Member& member) {
  const Json& pod = member.pod->body();
  JsonObject entry = details_of(service, pod);
  entry["addresses"] = JsonArray{string_at(pod, "status.podIP")};
  entry["conditions"] = {{"ready", member.ready},
                         {"serving", is_ready_pod(pod)},
                         {"terminating", is_being_deleted(pod)}};
  return entry;
}

}  // namespace

JsonArray endpoint_subsets(const Json& service, const std::vector<ObjectPtr>& pods) {
  JsonArray subsets;
  for (Group& group : group_by_ports(service, pods)) {
    JsonArray ready;
    JsonArray unready;
    for (const Group::Member& member : group.members) {
      JsonObject address = details_of(service, member.pod->body());
      address["ip"] = string_at(member.pod->body(), "status.podIP");
      (member.ready ? ready : unready).push_back(std::move(address));
    }
    JsonObject subset;
    if (!ready.empty()) subset["addresses"] = std::move(ready);
    if (!unready.empty()) subset["notReadyAddresses"] = std::move(unready);
    if (!group.ports.empty()) subset["ports"] = std::move(group.ports);
    subsets.push_back(std::move(subset));
  }
  return subsets;
}

std::map<std::string, Json> endpoint_slices(const Json& service,
                                            const std::vector<ObjectPtr>& pods) {
  std::map<std::string, Json> slices;
  for (const Group& group : group_by_ports(service, pods)) {
    JsonArray ports = group.ports;
    for (Json& port : ports) {
      // Readers take it for granted that there is one.
      if (find(port, "name") == nullptr) port.get_object()["name"] = "";
    }
    const std::string name = fmt::format("{}-{}", name_of(service), template_hash(Json(ports), 0));
    JsonArray entries;
    for (const Group::Member& member : group.members) {
      entries.push_back(slice_entry(service, member));
    }
    JsonObject labels = endpoint_labels(service, "endpointslice.kubernetes.io/managed-by",
                                        "endpointslice-controller.k8s.io");
    labels[kServiceNameLabel] = name_of(service);
    slices[name] = {{"apiVersion", kEndpointSlices.api_version()},
                    {"kind", "EndpointSlice"},
                    {"metadata",
                     {{"name", name},
                      {"namespace", namespace_of(service)},
                      {"labels", std::move(labels)},
                      {"ownerReferences", JsonArray{owner_reference(service)}}}},
                    {"addressType", "IPv4"},
                    {"endpoints", std::move(entries)},
                    {"ports", std::move(ports)}};
  }
  return slices;
}

JsonObject endpoint_labels(const Json& service, const char* made_by, const char* maker) {
  JsonObject labels = object_at(service, "metadata.labels");
  labels[made_by] = maker;
  if (string_at(service, "spec.clusterIP") == "None") labels["service.kubernetes.io/headless"] = "";
  return labels;
}

}  // namespace trainyard::workloads
