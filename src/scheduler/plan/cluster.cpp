#include "scheduler/plan/cluster.h"

#include <iterator>

namespace trainyard::scheduler {
namespace {

bool takes_room(const PodView& pod) {
  return !pod.node.empty() && !pod.ended;
}

bool waits(const PodView& pod) {
  return pod.node.empty() && !pod.ended && !pod.being_deleted && pod.ours;
}

void add(Amounts& sum, const Amounts& more, std::int64_t sign) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += sign * more[i];
}

}  // namespace

void Cluster::set_node(NodeView node) {
  Node& entry = nodes_[node.name];
  entry.view = std::move(node);
}

void Cluster::remove_node(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  found->second.view.reset();
  if (found->second.pods.empty()) nodes_.erase(found);
}

void Cluster::count(const PodView& pod) {
  if (takes_room(pod)) {
    Node& node = nodes_[pod.node];
    node.pods.insert(&pod);
    add(node.used, pod.needs->requests, 1);
    if (!pod.needs->apart.empty()) loners_.insert(&pod);
    if (std::ssize(pod.gpus) < amount_of(pod.needs->requests, kGpu)) unnumbered_.insert(&pod);
  }
  const GangKey key = gang_of(pod);
  if (waits(pod)) {
    gangs_[key].pending.emplace(pod.key, &pod);
    waiting_.insert(key);
  } else if (!key.alone && !pod.node.empty()) {
    gangs_[key].placed.insert(&pod);
  }
}

void Cluster::uncount(const PodView& pod) {
  loners_.erase(&pod);
  unnumbered_.erase(&pod);
  if (takes_room(pod)) {
    const auto node = nodes_.find(pod.node);
    node->second.pods.erase(&pod);
    add(node->second.used, pod.needs->requests, -1);
    if (!node->second.view && node->second.pods.empty()) nodes_.erase(node);
  }
  const GangKey key = gang_of(pod);
  const auto gang = gangs_.find(key);
  if (gang == gangs_.end()) return;
  gang->second.pending.erase(pod.key);
  gang->second.placed.erase(&pod);
  tidy(key);
}

void Cluster::tidy(const GangKey& key) {
  const auto gang = gangs_.find(key);
  if (gang == gangs_.end()) return;
  if (gang->second.pending.empty()) waiting_.erase(key);
  if (!gang->second.group && gang->second.pending.empty() && gang->second.placed.empty()) {
    gangs_.erase(gang);
  }
}

void Cluster::set_pod(PodView pod) {
  const auto [entry, added] = pods_.try_emplace(pod.key);
  if (!added) uncount(entry->second);
  entry->second = std::move(pod);
  count(entry->second);
}

void Cluster::remove_pod(const Key& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  uncount(found->second);
  pods_.erase(found);
}

void Cluster::set_group(GroupView group) {
  const GangKey key{group.key.ns, group.key.name, false};
  gangs_[key].group = std::move(group);
}

void Cluster::remove_group(const Key& key) {
  const GangKey gang{key.ns, key.name, false};
  const auto found = gangs_.find(gang);
  if (found == gangs_.end()) return;
  found->second.group.reset();
  tidy(gang);
}

const NodeView* Cluster::find_node(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() || !found->second.view ? nullptr : &*found->second.view;
}

const PodView* Cluster::find_pod(const Key& key) const {
  const auto found = pods_.find(key);
  return found == pods_.end() ? nullptr : &found->second;
}

const Cluster::Gang* Cluster::find_gang(const GangKey& key) const {
  const auto found = gangs_.find(key);
  return found == gangs_.end() ? nullptr : &found->second;
}

}  // namespace trainyard::scheduler
