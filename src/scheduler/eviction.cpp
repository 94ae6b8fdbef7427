#include "scheduler/eviction.h"

#include "base/log.h"
#include "scheduler/plan/eviction_time.h"

#include <fmt/format.h>

namespace trainyard::scheduler {

using namespace std::chrono_literals;

namespace {

/// A Node object that is gone may only be on its way back.
constexpr std::chrono::seconds kPatience = 40s;

std::string ending_taints(const NodeView* node) {
  if (node == nullptr) return "gone";
  std::string text;
  for (const Taint& taint : node->taints) {
    if (taint.effect == Effect::kNoExecute) text += fmt::format("{}={},", taint.key, taint.value);
  }
  return text;
}

}  // namespace

Evictor::Evictor(Executor loop, client::Api& api, Clock& clock, const Cluster& cluster,
                 const client::Informer& pods)
    : api_(api),
      clock_(clock),
      cluster_(cluster),
      pods_(pods),
      events_(api, clock, "taint-eviction-controller"),
      controller_("eviction", std::move(loop), clock, *this) {}

const Evictor::State& Evictor::state_of(const std::string& node) {
  std::string taints = ending_taints(cluster_.find_node(node));
  State& state = nodes_[node];
  if (state.taints != taints) state = State{std::move(taints), clock_.now()};
  return state;
}

void Evictor::look_at_pod(const PodView& pod) {
  if (pod.node.empty() || pod.ended || pod.being_deleted) return;
  if (!state_of(pod.node).taints.empty()) controller_.add(pod.key);
}

void Evictor::look_at_node(const std::string& name) {
  const bool ends_pods = !state_of(name).taints.empty();
  const auto node = cluster_.nodes().find(name);
  if (node == cluster_.nodes().end()) {
    nodes_.erase(name);
    return;
  }
  if (!ends_pods) return;
  for (const PodView* pod : node->second.pods) look_at_pod(*pod);
}

awaitable<Result<client::Requeue>> Evictor::reconcile(Key key) {
  const PodView* pod = cluster_.find_pod(key);
  if (pod == nullptr || pod->node.empty() || pod->ended || pod->being_deleted) {
    co_return client::Requeue();
  }
  const NodeView* node = cluster_.find_node(pod->node);
  const State& state = state_of(pod->node);
  const bool gone = node == nullptr;
  const auto stay = gone ? std::optional(kPatience) : time_to_stay(*node, *pod->needs);
  if (!stay) co_return client::Requeue();
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(state.since + *stay - clock_.now());
  if (left > 0ms) co_return client::Requeue(left);
  const std::string node_name = pod->node;
  client::DeleteOptions options;
  options.uid = pod->uid;
  if (gone) options.grace_seconds = 0;  // nobody is there to end it
  const auto object = pods_.objects().find(key);
  if (object != pods_.objects().end()) {
    const ObjectPtr about = object->second;
    co_await events_.normal(
        about, "TaintManagerEviction",
        gone ? fmt::format("Deleting Pod {}: its node {} is gone", key, node_name)
             : fmt::format("Marking for deletion Pod {}", key));
  }
  log_info("pod ended because of its node", {{"pod", key}, {"node", node_name}, {"gone", gone}});
  auto removed = co_await api_.remove(kPods, key, std::move(options));
  if (!removed && !removed.failed_with(Code::kNotFound)) co_return std::move(removed).error();
  co_return client::Requeue();
}

}  // namespace trainyard::scheduler
