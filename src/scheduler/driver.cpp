#include "scheduler/driver.h"

#include "base/log.h"
#include "client/watching/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace trainyard::scheduler {
namespace {

const Resource kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses"};
const Key kEverything{"", "cluster"};  // one queue entry: each look is at the whole cluster
constexpr std::size_t kAtOnce = 16;    // transactions under way together share a commit

/// Whether anything that placing looks at differs.
bool differs(const PodView& a, const PodView& b) {
  return a.uid != b.uid || a.needs != b.needs || a.priority != b.priority || a.group != b.group ||
         a.node != b.node || a.ended != b.ended || a.being_deleted != b.being_deleted ||
         a.gated != b.gated || a.ours != b.ours || *a.labels != *b.labels;
}

bool differs(const NodeView& a, const NodeView& b) {
  const auto same_taint = [](const Taint& x, const Taint& y) {
    return x.key == y.key && x.value == y.value && x.effect == y.effect;
  };
  return a.labels != b.labels || a.unschedulable != b.unschedulable || a.fake_gpus != b.fake_gpus ||
         a.allocatable != b.allocatable ||
         !std::equal(a.taints.begin(), a.taints.end(), b.taints.begin(), b.taints.end(),
                     same_taint);
}

std::map<std::string, std::string> annotations_for(const std::vector<int>& gpus) {
  if (gpus.empty()) return {};
  return {{client::kGpusAnnotation, fmt::format("{}", fmt::join(gpus, ","))}};
}

}  // namespace

Scheduler::Scheduler(Executor loop, client::Api& api, Clock& clock, Rules rules)
    : api_(api),
      rules_(rules),
      reader_(cluster_.resources()),
      pods_(loop, api, clock, kPods),
      groups_(loop, api, clock, kPodGroups),
      nodes_(loop, api, clock, kNodes),
      priority_classes_(loop, api, clock, kPriorityClasses),
      teller_(loop, api, clock, pods_, groups_),
      evictor_(loop, api, clock, cluster_, pods_),
      controller_("scheduler", loop, clock, *this),
      tasks_(loop) {
  pods_.add_listener([this](const ObjectPtr& pod, bool deleted) { on_pod(pod, deleted); });
  groups_.add_listener([this](const ObjectPtr& group, bool deleted) { on_group(group, deleted); });
  nodes_.add_listener([this](const ObjectPtr& node, bool deleted) { on_node(node, deleted); });
  priority_classes_.add_listener(
      [this](const ObjectPtr& one, bool deleted) { on_class(one, deleted); });
}

void Scheduler::start() {
  tasks_.spawn("watch priority classes", priority_classes_.run());
  tasks_.spawn("watch nodes", nodes_.run());
  tasks_.spawn("watch pod groups", groups_.run());
  tasks_.spawn("watch pods to place", pods_.run());
  tasks_.spawn("begin to place", begin());
}

/// Who places by half of what there is places wrongly.
awaitable<void> Scheduler::begin() {
  co_await priority_classes_.wait_synced();
  co_await nodes_.wait_synced();
  co_await groups_.wait_synced();
  co_await pods_.wait_synced();
  controller_.start(1);
  teller_.start();
  evictor_.start();
}

awaitable<void> Scheduler::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
  co_await evictor_.stop();
  co_await teller_.stop();
}

/// The pod as it is, and with the node that it was given here if the watch is behind.
PodView Scheduler::read_pod(const ObjectPtr& pod) {
  PodView view = reader_.read_pod(pod);
  const auto assumed = assumed_.find(view.key);
  if (assumed == assumed_.end()) return view;
  if (assumed->second.uid != view.uid || !view.node.empty()) {
    assumed_.erase(assumed);
  } else {
    view.node = assumed->second.node;
    view.gpus = assumed->second.gpus;
  }
  return view;
}

void Scheduler::on_pod(const ObjectPtr& pod, bool deleted) {
  const Key key = key_of(pod->body());
  if (deleted) {
    assumed_.erase(key);
    cluster_.remove_pod(key);
    controller_.add(kEverything);
    return;
  }
  PodView view = read_pod(pod);
  const PodView* before = cluster_.find_pod(key);
  const bool news = before == nullptr || differs(*before, view);
  cluster_.set_pod(std::move(view));
  if (!news) return;
  controller_.add(kEverything);
  evictor_.look_at_pod(*cluster_.find_pod(key));
}

void Scheduler::on_node(const ObjectPtr& node, bool deleted) {
  const std::string name(name_of(node->body()));
  if (deleted) {
    cluster_.remove_node(name);
  } else {
    NodeView view = reader_.read_node(node->body());
    const NodeView* before = cluster_.find_node(name);
    if (before != nullptr && !differs(*before, view)) return;  // it only says that it lives
    cluster_.set_node(std::move(view));
  }
  controller_.add(kEverything);
  evictor_.look_at_node(name);
}

/// False: nothing that matters here has changed.
bool Scheduler::read_group(const Json& group) {
  const auto priority_of = [this](const std::string& name) -> std::optional<std::int64_t> {
    const auto found = classes_.find(name);
    if (found == classes_.end()) return std::nullopt;
    return found->second;
  };
  GroupView view = ObjectReader::read_group(group, priority_of);
  const Cluster::Gang* before = cluster_.find_gang(GangKey{view.key.ns, view.key.name, false});
  if (before != nullptr && before->group == view) return false;
  cluster_.set_group(std::move(view));
  return true;
}

void Scheduler::on_group(const ObjectPtr& group, bool deleted) {
  if (deleted) {
    cluster_.remove_group(key_of(group->body()));
  } else if (!read_group(group->body())) {
    return;
  }
  controller_.add(kEverything);
}

void Scheduler::on_class(const ObjectPtr& priority_class, bool deleted) {
  const std::string name(name_of(priority_class->body()));
  if (deleted) {
    classes_.erase(name);
  } else {
    classes_[name] = int_at(priority_class->body(), "value");
  }
  for (const auto& [key, group] : groups_.objects()) {
    if (string_at(group->body(), "spec.priorityClassName") == name) read_group(group->body());
  }
  controller_.add(kEverything);
}

void Scheduler::assume(const Placed& placed) {
  for (const Placement& placement : placed.pods) {
    PodView view = *cluster_.find_pod(placement.pod);
    view.node = placement.node;
    view.gpus = placement.gpus;
    assumed_[view.key] = Assumed{view.uid, view.node, view.gpus};
    cluster_.set_pod(std::move(view));
  }
}

void Scheduler::take_back(const Placed& placed) {
  for (const Placement& placement : placed.pods) {
    assumed_.erase(placement.pod);
    const auto known = pods_.objects().find(placement.pod);
    if (known != pods_.objects().end()) cluster_.set_pod(read_pod(known->second));
  }
}

awaitable<Result<>> Scheduler::bind(const Placed& placed, bool& is_bound) {
  std::vector<client::Binding> bindings;
  for (const Placement& pod : placed.pods) {
    bindings.push_back(client::Binding{pod.pod, pod.node, annotations_for(pod.gpus)});
  }
  CO_TRY_OK(co_await api_.bind(std::move(bindings)));
  is_bound = true;
  teller_.tell_placed(placed);
  log_debug("gang placed", {{"gang", placed.gang.name}, {"pods", placed.pods.size()}});
  co_return Ok();
}

/// Whatever keeps one of them from being bound: nothing stays assumed that is not.
awaitable<Result<>> Scheduler::bind_all(std::vector<Placed> placed) {
  const auto is_bound = std::make_unique<bool[]>(placed.size());
  Result<> outcome = co_await client::run_parallel(
      placed.size(), kAtOnce, [&](std::size_t i) { return bind(placed[i], is_bound[i]); });
  for (std::size_t i = 0; i < placed.size(); ++i) {
    // A pod went away or was placed in between; the next look sees it.
    if (!is_bound[i]) take_back(placed[i]);
  }
  co_return outcome;
}

/// For a pod that somebody else has bound.
awaitable<Result<>> Scheduler::number_gpus(Placement placement) {
  const PodView* pod = cluster_.find_pod(placement.pod);
  if (pod == nullptr) co_return Ok();
  JsonObject annotations;
  for (auto& [name, value] : annotations_for(placement.gpus)) annotations[name] = value;
  Json patch{{"metadata", {{"uid", pod->uid}, {"annotations", std::move(annotations)}}}};
  auto patched =
      co_await api_.patch(kPods, placement.pod, client::PatchType::kMerge, std::move(patch), "");
  if (!patched && !patched.failed_with(Code::kNotFound)) co_return std::move(patched).error();
  co_return Ok();
}

std::size_t Scheduler::pending_pods() const {
  std::size_t pods = 0;
  for (const GangKey& key : cluster_.waiting()) {
    const Cluster::Gang* gang = cluster_.find_gang(key);
    if (gang != nullptr) pods += gang->pending.size();
  }
  return pods;
}

awaitable<Result<client::Requeue>> Scheduler::reconcile(Key) {
  SchedulePlan plan = plan_placements(cluster_, rules_);
  for (const Placed& placed : plan.placed) assume(placed);
  teller_.set_waiting(std::move(plan.waiting));
  // What others have bound is no condition of our own: each is tried, and again when it fails.
  const Result<> numbered = co_await client::run_parallel(
      plan.numbered.size(), kAtOnce,
      [this, &plan](std::size_t i) { return number_gpus(std::move(plan.numbered[i])); });
  CO_TRY_OK(co_await bind_all(std::move(plan.placed)));
  CO_TRY_OK(numbered);
  co_return client::Requeue();
}

}  // namespace trainyard::scheduler
