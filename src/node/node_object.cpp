#include "node/node_object.h"

#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

constexpr const char* kLabelsAnnotation = "trainyard.dev/labels";  // keys that --nodes gave
constexpr int kLeaseSeconds = 40;

JsonObject labels_of(const NodeSpec& spec, const Machine& machine) {
  JsonObject labels{{"kubernetes.io/hostname", spec.name},
                    {"kubernetes.io/os", "linux"},
                    {"kubernetes.io/arch", machine.architecture}};
  for (const auto& [key, value] : spec.labels) labels[key] = value;
  return labels;
}

JsonObject annotations_of(const NodeSpec& spec, const Machine& machine) {
  std::string given;
  for (const auto& [key, value] : spec.labels) given += (given.empty() ? "" : ",") + key;
  JsonObject annotations{{kMachineAnnotation, machine.host}};
  if (!given.empty()) annotations[kLabelsAnnotation] = given;
  if (spec.fake_gpus) annotations[kFakeGpusAnnotation] = std::to_string(spec.gpus);
  return annotations;
}

JsonObject capacity_json(const NodeSpec& spec, const Machine& machine) {
  const Quantity cpu = spec.cpu.value_or(Quantity::of(machine.cpus));
  JsonObject capacity{
      {"cpu", cpu.to_text()},
      {"memory", spec.memory ? spec.memory->to_text() : format_bytes(machine.memory_bytes)},
      {"ephemeral-storage", format_bytes(machine.disk_bytes)},
      {"pods", std::to_string(spec.pods)}};
  if (spec.gpus > 0) capacity["nvidia.com/gpu"] = std::to_string(spec.gpus);
  return capacity;
}

std::string ready_since(const Json& before, WallTime now) {
  const Json* ready = find_condition(array_at(before, "conditions"), "Ready");
  if (ready == nullptr || string_at(*ready, "status") != "True") return format_time(now);
  return std::string(string_at(*ready, "lastTransitionTime", format_time(now)));
}

}  // namespace

Json make_node(const NodeSpec& spec, const Machine& machine) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", spec.name},
            {"labels", labels_of(spec, machine)},
            {"annotations", annotations_of(spec, machine)}}}};
}

Json node_update(const Json& existing, const NodeSpec& spec, const Machine& machine) {
  JsonObject labels = labels_of(spec, machine);
  std::string_view given = annotation_of(existing, kLabelsAnnotation);
  while (!given.empty()) {
    const std::string_view key = given.substr(0, given.find(','));
    given.remove_prefix(std::min(given.size(), key.size() + 1));
    if (!labels.contains(key)) labels[key] = nullptr;
  }
  JsonObject annotations = annotations_of(spec, machine);
  for (const char* key : {kLabelsAnnotation, kFakeGpusAnnotation}) {
    if (!annotations.contains(key)) annotations[key] = nullptr;
  }
  return {{"metadata", {{"labels", std::move(labels)}, {"annotations", std::move(annotations)}}}};
}

Json node_status(const NodeSpec& spec, const Machine& machine, const Json& before, WallTime now) {
  JsonObject capacity = capacity_json(spec, machine);
  // A merge patch keeps what it does not name: amounts that are no longer there must be.
  for (const auto& old : object_at(before, "capacity")) {
    if (!capacity.contains(old.key())) capacity[old.key()] = nullptr;
  }
  return {{"capacity", capacity},
          {"allocatable", capacity},
          {"addresses", JsonArray{{{"type", "InternalIP"}, {"address", spec.address}},
                                  {{"type", "Hostname"}, {"address", spec.name}}}},
          {"conditions", JsonArray{{{"type", "Ready"},
                                    {"status", "True"},
                                    {"reason", "NodeReady"},
                                    {"message", "the node runs pods as processes"},
                                    {"lastHeartbeatTime", format_time(now)},
                                    {"lastTransitionTime", ready_since(before, now)}}}},
          {"nodeInfo",
           {{"machineID", machine.machine_id},
            {"systemUUID", machine.machine_id},
            {"bootID", machine.boot_id},
            {"kernelVersion", machine.kernel},
            {"osImage", machine.os_image},
            {"operatingSystem", "linux"},
            {"architecture", machine.architecture},
            {"containerRuntimeVersion", "trainyard://0.1.0"},
            {"kubeletVersion", "v1.32.0+trainyard"}}}};
}

Json make_lease(const Json& node, WallTime now) {
  const std::string time = format_time_micro(now);
  return {{"apiVersion", "coordination.k8s.io/v1"},
          {"kind", "Lease"},
          {"metadata",
           {{"name", name_of(node)},
            {"namespace", "kube-node-lease"},
            {"ownerReferences", JsonArray{{{"apiVersion", "v1"},
                                           {"kind", "Node"},
                                           {"name", name_of(node)},
                                           {"uid", uid_of(node)}}}}}},
          {"spec",
           {{"holderIdentity", name_of(node)},
            {"leaseDurationSeconds", kLeaseSeconds},
            {"acquireTime", time},
            {"renewTime", time}}}};
}

}  // namespace trainyard::node
