#include "jobs/engine/form/run_mode.h"

#include "object/values/status.h"

namespace trainyard::jobs {
namespace {

/// The entry for a replica type in a list such as resumeSpecs; null when there is none.
const Json* entry_of(const JsonArray& list, std::string_view type) {
  for (const Json& entry : list) {
    if (string_at(entry, "type") == type) return &entry;
  }
  return nullptr;
}

void skip_init_containers(Json& pod, const Json& entry) {
  if (!bool_at(entry, "skipInitContainer")) return;
  pod.at("spec").get_object().erase("initContainers");
}

}  // namespace

bool debugs(const Json& job) {
  return bool_at(job, "spec.runMode.debug.enabled") || bool_at(job, "spec.runMode.debug.enable");
}

bool was_paused(const Json& job) {
  return find_condition(job, "Paused") != nullptr;
}

Json& main_container(Json& pod, std::string_view name) {
  JsonArray& containers = pod.at("spec").at("containers").get_array();
  for (Json& container : containers) {
    if (string_at(container, "name") == name) return container;
  }
  return containers.front();
}

Json make_template_pod(const Json& job, const ReplicaGroup& group, std::string_view main_name) {
  const Json& spec = *entry_of(array_at(job, "spec.replicaSpecs"), group.type);
  Json pod{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", JsonObject()}};
  for (const char* map : {"labels", "annotations"}) {
    const JsonObject& entries = object_at(spec, std::string("template.metadata.") + map);
    if (!entries.empty()) pod.at("metadata").get_object()[map] = entries;
  }
  pod.get_object()["spec"] = *find(spec, "template.spec");
  const Json* resume = entry_of(array_at(job, "spec.runMode.pause.resumeSpecs"), group.type);
  if (resume == nullptr || !was_paused(job)) return pod;
  skip_init_containers(pod, *resume);
  for (const char* field : {"command", "args"}) {
    const JsonArray& words = array_at(*resume, field);
    if (!words.empty()) main_container(pod, main_name).get_object()[field] = words;
  }
  return pod;
}

void apply_debug(Json& pod, const Json& job, const ReplicaGroup& group, std::string_view main_name,
                 JsonArray usual) {
  if (!debugs(job)) return;
  JsonObject& container = main_container(pod, main_name).get_object();
  if (!usual.empty()) {
    container["command"] = std::move(usual);
    container.erase("args");
  }
  const Json* entry = entry_of(array_at(job, "spec.runMode.debug.replicaSpecs"), group.type);
  if (entry == nullptr) return;
  skip_init_containers(pod, *entry);
  const JsonArray& command = array_at(*entry, "command");
  if (command.empty()) return;
  container["command"] = command;
  container.erase("args");
}

}  // namespace trainyard::jobs
