#include "scheduler/driver.h"

#include "base/log.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::scheduler {
namespace {

constexpr const char* kGroupAnnotation = "scheduling.k8s.io/group-name";
const Key kEverything{"", "cluster"};  // one queue entry: each look is at the whole cluster

bool is_ended(const Json& pod) {
  const std::string_view phase = string_at(pod, "status.phase");
  return phase == "Succeeded" || phase == "Failed";
}

Resources read_resources(const JsonObject& amounts) {
  Resources resources;
  for (const auto& amount : amounts) {
    if (auto quantity = Quantity::parse(amount.value())) {
      resources[std::string(amount.key())] = *quantity;
    }
  }
  return resources;
}

/// The sum over the containers; "pods" counts the pod itself against the node's limit of pods.
Resources requests_of(const Json& pod) {
  Resources total;
  for (const Json& container : array_at(pod, "spec.containers")) {
    for (const auto& [name, request] : read_resources(object_at(container, "resources.requests"))) {
      total[name] += request;
    }
  }
  total["pods"] = Quantity::of(1);
  return total;
}

}  // namespace

Scheduler::Scheduler(Executor loop, client::Api& api, Clock& clock)
    : api_(api),
      clock_(clock),
      events_(api, clock, "trainyard-scheduler"),
      controller_("scheduler", loop, clock, *this),
      pods_(loop, api, clock, kPods),
      groups_(loop, api, clock, kPodGroups),
      nodes_(loop, api, clock, kNodes),
      tasks_(loop) {
  // Only what can change a placement wakes the scheduler: new pods, and room that came free.
  pods_.add_listener([this](const ObjectPtr& pod, bool deleted) {
    const bool unplaced = string_at(pod->body(), "spec.nodeName").empty();
    if (deleted || unplaced || is_ended(pod->body())) controller_.add(kEverything);
  });
  groups_.add_listener([this](const ObjectPtr&, bool) { controller_.add(kEverything); });
  nodes_.add_listener([this](const ObjectPtr&, bool) { controller_.add(kEverything); });
}

void Scheduler::start() {
  tasks_.spawn("watch pods to place", pods_.run());
  tasks_.spawn("watch pod groups", groups_.run());
  tasks_.spawn("watch nodes", nodes_.run());
  controller_.start(1);
}

awaitable<void> Scheduler::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

awaitable<Result<ClusterView>> Scheduler::load() {
  const client::ListOptions everywhere;
  CO_TRY(const client::Listing nodes, co_await api_.list(kNodes, everywhere));
  CO_TRY(const client::Listing groups, co_await api_.list(kPodGroups, everywhere));
  CO_TRY(const client::Listing pods, co_await api_.list(kPods, everywhere));
  ClusterView view;
  for (const ObjectPtr& node : nodes.items) {
    NodeView one;
    one.name = name_of(node->body());
    one.allocatable = read_resources(object_at(node->body(), "status.allocatable"));
    view.nodes.push_back(std::move(one));
  }
  std::map<Key, GangView> gangs;
  for (const ObjectPtr& group : groups.items) {
    GangView& gang = gangs[key_of(group->body())];
    gang.min_members = int_at(group->body(), "spec.minMember", 1);
  }
  for (const ObjectPtr& pod : pods.items) {
    const Json& body = pod->body();
    const std::string_view node_name = string_at(body, "spec.nodeName");
    const std::string_view group = annotation_of(body, kGroupAnnotation);
    const Key gang_key =
        group.empty() ? key_of(body) : Key{std::string(namespace_of(body)), std::string(group)};
    if (!node_name.empty()) {
      if (!group.empty()) ++gangs[gang_key].placed;
      if (is_ended(body)) continue;
      for (NodeView& node : view.nodes) {
        if (node.name != node_name) continue;
        for (const auto& [name, request] : requests_of(body)) node.used[name] += request;
      }
    } else if (!is_ended(body) && !is_being_deleted(body)) {
      gangs[gang_key].pending.push_back(PodView{key_of(body), requests_of(body)});
    }
  }
  for (auto& [key, gang] : gangs) {
    gang.key = key;
    if (!gang.pending.empty()) view.gangs.push_back(std::move(gang));
  }
  co_return view;
}

awaitable<Result<client::Requeue>> Scheduler::reconcile(Key) {
  CO_TRY(ClusterView view, co_await load());
  SchedulePlan plan = plan_placements(std::move(view));
  for (Placed& placed : plan.placed) {
    std::vector<client::Binding> bindings;
    for (Placement& pod : placed.pods) {
      bindings.push_back(client::Binding{std::move(pod.pod), std::move(pod.node)});
    }
    // Conflict: a pod went away or was placed in between; the next look sees it.
    CO_TRY_OK(co_await api_.bind(std::move(bindings)));
    log_debug("gang placed", {{"gang", placed.gang}, {"pods", placed.pods.size()}});
  }
  for (Waiting& waiting : plan.waiting) {
    // Every gang is incomplete for a moment while its job makes it: no reason to alarm anybody.
    if (!waiting.incomplete) co_await explain(std::move(waiting));
  }
  co_return client::Requeue();
}

awaitable<void> Scheduler::explain(Waiting waiting) {
  for (const Key& key : waiting.pods) {
    auto pod = co_await api_.get(kPods, key);
    if (!pod) continue;
    const JsonArray& conditions = array_at((*pod)->body(), "status.conditions");
    const bool told = std::any_of(conditions.begin(), conditions.end(), [&](const Json& condition) {
      return string_at(condition, "message") == waiting.reason;
    });
    if (told) continue;
    Json condition{{"type", "PodScheduled"},
                   {"status", "False"},
                   {"reason", "Unschedulable"},
                   {"message", waiting.reason},
                   {"lastTransitionTime", format_time(clock_.wall())}};
    JsonArray list;
    list.push_back(std::move(condition));
    Json patch{{"status", {{"conditions", std::move(list)}}}};
    auto patched =
        co_await api_.patch(kPods, key, client::PatchType::kMerge, std::move(patch), "status");
    if (patched) co_await events_.warning(*pod, "FailedScheduling", waiting.reason);
  }
}

}  // namespace trainyard::scheduler
