#include "scheduler/read_objects.h"

#include "client/api.h"
#include "object/values/status.h"
#include "scheduler/pod_needs.h"

#include <algorithm>
#include <charconv>

namespace trainyard::scheduler {
namespace {

/// The annotation of a PodGroup that carries a job's own priority, 0 to 100.
constexpr const char* kPriorityAnnotation = "trainyard.dev/priority";
/// A node whose GPUs only seem to be there.
constexpr const char* kFakeGpusAnnotation = "trainyard.dev/fake-gpus";

/// Jobs of other platforms name their schedulers; here all of these are this one.
bool is_ours(std::string_view scheduler) {
  return scheduler.empty() || scheduler == "default-scheduler" || scheduler == "t9k-scheduler" ||
         scheduler == "volcano" || scheduler == "trainyard";
}

/// A node that does not say that it is ready takes no pods.
void add_health_taints(const Json& node, NodeView& view) {
  const Json* said = find_condition(node, "Ready");
  const std::string_view ready = said == nullptr ? "Unknown" : string_at(*said, "status");
  if (ready == "True") return;
  const char* key =
      ready == "False" ? "node.kubernetes.io/not-ready" : "node.kubernetes.io/unreachable";
  view.taints.push_back(Taint{key, "", Effect::kNoSchedule});
}

std::vector<int> read_gpus(std::string_view text) {
  std::vector<int> gpus;
  while (!text.empty()) {
    int number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc()) break;
    gpus.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  return gpus;
}

void append(std::string& text, const Json& pod, const char* path) {
  if (const Json* value = find(pod, path)) append_text(text, *value);
  text += '|';
}

/// The same for two pods exactly when they ask for the same.
std::string kind_of(const Json& pod) {
  std::string text;
  for (const char* list : {"spec.initContainers", "spec.containers"}) {
    for (const Json& container : array_at(pod, list)) {
      append(text, container, "resources.requests");
      append(text, container, "restartPolicy");
    }
    text += '#';
  }
  for (const char* path :
       {"spec.resources.requests", "spec.overhead", "spec.nodeSelector", "spec.affinity",
        "spec.tolerations", "spec.topologySpreadConstraints", "spec.resourceClaims"}) {
    append(text, pod, path);
  }
  // Who looks at other pods may mean those like itself.
  if (find(pod, "spec.affinity.podAffinity") != nullptr ||
      find(pod, "spec.affinity.podAntiAffinity") != nullptr ||
      !array_at(pod, "spec.topologySpreadConstraints").empty()) {
    append(text, pod, "metadata.labels");
    append(text, pod, "metadata.namespace");
  }
  return text;
}

}  // namespace

NodeView ObjectReader::read_node(const Json& node) {
  NodeView view;
  view.name = name_of(node);
  view.labels = object_at(node, "metadata.labels");
  view.unschedulable = bool_at(node, "spec.unschedulable");
  view.fake_gpus = !annotation_of(node, kFakeGpusAnnotation).empty();
  view.allocatable = read_amounts(object_at(node, "status.allocatable"), resources_);
  for (const Json& entry : array_at(node, "spec.taints")) {
    Taint taint;
    taint.key = string_at(entry, "key");
    taint.value = string_at(entry, "value");
    const std::string_view effect = string_at(entry, "effect");
    if (effect == "PreferNoSchedule") taint.effect = Effect::kPreferNoSchedule;
    if (effect == "NoExecute") taint.effect = Effect::kNoExecute;
    view.taints.push_back(std::move(taint));
  }
  add_health_taints(node, view);
  return view;
}

NeedsPtr ObjectReader::needs_of(const Json& pod) {
  std::string kind = kind_of(pod);
  const auto found = kinds_.find(kind);
  if (found != kinds_.end()) {
    if (NeedsPtr known = found->second.lock()) return known;
  }
  if (kinds_.size() >= tidy_at_) {
    std::erase_if(kinds_, [](const auto& entry) { return entry.second.expired(); });
    tidy_at_ = std::max<std::size_t>(1024, kinds_.size() * 2);
  }
  Needs needs = read_rules(pod);
  needs.requests = read_requests(pod, resources_);
  auto made = std::make_shared<const Needs>(std::move(needs));
  kinds_[std::move(kind)] = made;
  return made;
}

PodView ObjectReader::read_pod(const ObjectPtr& pod) {
  const Json& body = pod->body();
  PodView view;
  view.key = key_of(body);
  view.uid = uid_of(body);
  view.needs = needs_of(body);
  // A copy: to share the object's own would keep all of it in memory.
  view.labels = std::make_shared<const JsonObject>(object_at(body, "metadata.labels"));
  view.priority = int_at(body, "spec.priority");
  view.created = string_at(body, "metadata.creationTimestamp");
  view.group = annotation_of(body, kGroupAnnotation);
  view.node = string_at(body, "spec.nodeName");
  view.gpus = read_gpus(annotation_of(body, client::kGpusAnnotation));
  view.ended = has_ended(body);
  view.being_deleted = is_being_deleted(body);
  view.gated = !array_at(body, "spec.schedulingGates").empty();
  view.ours = is_ours(string_at(body, "spec.schedulerName"));
  return view;
}

GroupView ObjectReader::read_group(const Json& group, const PriorityOf& priority_of) {
  GroupView view;
  view.key = key_of(group);
  view.created = string_at(group, "metadata.creationTimestamp");
  view.min_members = int_at(group, "spec.minMember", 1);
  // Members that are asked for by task are at least so many in all.
  std::int64_t by_task = 0;
  for (const auto& task : object_at(group, "spec.minTaskMember")) {
    if (task.value().is_int64()) by_task += task.value().get_int64();
  }
  view.min_members = std::max(view.min_members, by_task);
  const std::string class_name(string_at(group, "spec.priorityClassName"));
  if (!class_name.empty()) view.priority = priority_of(class_name);
  const std::string_view own = annotation_of(group, kPriorityAnnotation);
  std::int64_t number = 0;
  if (!own.empty() &&
      std::from_chars(own.data(), own.data() + own.size(), number).ec == std::errc()) {
    view.priority = view.priority.value_or(0) + number;
  }
  return view;
}

}  // namespace trainyard::scheduler
