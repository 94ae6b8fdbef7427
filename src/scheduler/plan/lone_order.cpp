#include "scheduler/plan/lone_order.h"

#include "scheduler/plan/suitability.h"

namespace trainyard::scheduler {
namespace {

constexpr std::size_t kMostOrders = 32;  // each costs something with every pod that is put down

}  // namespace

std::optional<LoneOrders::Entry> LoneOrders::rate(Board::Index node, const Needs& needs) const {
  const std::int64_t fits = board_.fits(node, needs);
  if (fits <= 0) return std::nullopt;
  const NodeView& view = board_.node(node);
  if (check_node(view, needs).refusal != Refusal::kNone) return std::nullopt;
  return Entry(-preference(view, needs), board_.wastes(node, needs), fits, board_.roominess(node),
               node);
}

LoneOrders::Order& LoneOrders::order_of(const Needs& needs) {
  const auto found = orders_.find(&needs);
  if (found != orders_.end()) return found->second;
  if (orders_.size() >= kMostOrders) orders_.clear();
  Order& order = orders_[&needs];
  order.of_node.resize(board_.size());
  for (Board::Index i = 0; i < board_.size(); ++i) {
    order.of_node[i] = rate(i, needs);
    if (order.of_node[i]) order.entries.insert(*order.of_node[i]);
  }
  return order;
}

std::optional<Board::Index> LoneOrders::best(const Needs& needs) {
  const Order& order = order_of(needs);
  if (order.entries.empty()) return std::nullopt;
  return std::get<4>(*order.entries.begin());
}

void LoneOrders::update(Board::Index node) {
  for (auto& [needs, order] : orders_) {
    if (order.of_node[node]) order.entries.erase(*order.of_node[node]);
    order.of_node[node] = rate(node, *needs);
    if (order.of_node[node]) order.entries.insert(*order.of_node[node]);
  }
}

}  // namespace trainyard::scheduler
