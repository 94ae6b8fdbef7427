#include "scheduler/plan/board.h"

#include <algorithm>
#include <limits>

namespace trainyard::scheduler {

Board::Board(const Cluster& cluster, Rules rules)
    : cluster_(&cluster), rules_(rules), width_(cluster.resources().size()) {
  for (ResourceId id = 0; id < width_; ++id) {
    if (cluster.resources().name(id).find('/') != std::string::npos) devices_.push_back(id);
  }
  nodes_.reserve(cluster.nodes().size());
  free_.reserve(cluster.nodes().size() * width_);
  for (const auto& [name, node] : cluster.nodes()) {
    if (!node.view) continue;
    nodes_.push_back(&*node.view);
    for (ResourceId id = 0; id < width_; ++id) {
      free_.push_back(amount_of(node.view->allocatable, id) - amount_of(node.used, id));
    }
  }
}

std::optional<Board::Index> Board::find(const std::string& name) const {
  const auto found = std::lower_bound(
      nodes_.begin(), nodes_.end(), name,
      [](const NodeView* node, const std::string& wanted) { return node->name < wanted; });
  if (found == nodes_.end() || (*found)->name != name) return std::nullopt;
  return static_cast<Index>(found - nodes_.begin());
}

std::int64_t Board::fits(Index index, const Needs& needs) const {
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t* row = &free_[index * width_];
  for (ResourceId id = 0; id < needs.requests.size(); ++id) {
    const std::int64_t wanted = needs.requests[id];
    if (wanted <= 0 || !counts(id)) continue;
    most = std::min(most, std::max<std::int64_t>(row[id], 0) / wanted);
  }
  return most;
}

double Board::roominess(Index index) const {
  double sum = 0;
  for (ResourceId id = 0; id < width_; ++id) {
    const std::int64_t whole = all(index, id);
    if (whole > 0) sum += static_cast<double>(free(index, id)) / static_cast<double>(whole);
  }
  return sum;
}

bool Board::wastes(Index index, const Needs& needs) const {
  return std::any_of(devices_.begin(), devices_.end(), [&](ResourceId id) {
    return all(index, id) > 0 && amount_of(needs.requests, id) == 0;
  });
}

void Board::add(Index node, const Amounts& amounts, std::int64_t sign) {
  for (ResourceId id = 0; id < std::min(amounts.size(), width_); ++id) {
    free_[node * width_ + id] += sign * amounts[id];
  }
}

void Board::put(const PodView& pod, Index node) {
  add(node, pod.needs->requests, -1);
  puts_.push_back(Put{&pod, node});
  if (!pod.needs->apart.empty()) ++loners_put_;
}

void Board::take_up_to(std::size_t count) {
  while (puts_.size() > count) {
    const Needs& needs = *puts_.back().pod->needs;
    add(puts_.back().node, needs.requests, 1);
    if (!needs.apart.empty()) --loners_put_;
    puts_.pop_back();
  }
}

void Board::release_all() {
  puts_.clear();
  loners_put_ = 0;
  for (Index i = 0; i < nodes_.size(); ++i) {
    for (ResourceId id = 0; id < width_; ++id) {
      free_[i * width_ + id] = amount_of(nodes_[i]->allocatable, id);
    }
  }
}

}  // namespace trainyard::scheduler
