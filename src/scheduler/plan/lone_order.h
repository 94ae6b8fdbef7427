#pragma once

#include "scheduler/plan/board.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace trainyard::scheduler {

/// The nodes in the order in which a pod that stands alone tries them, kept for each kind of pod
/// while a plan is made: thousands of equal pods look at each node once, not each.
class LoneOrders {
 public:
  explicit LoneOrders(const Board& board) : board_(board) {}

  /// The best node for such a pod. Not for pods that look at their neighbours.
  std::optional<Board::Index> best(const Needs& needs);
  /// The node's room has changed.
  void update(Board::Index node);
  /// Everything may have changed.
  void clear() { orders_.clear(); }

 private:
  /// Preference, waste, how many fit, room, node: the smallest is the best.
  using Entry = std::tuple<std::int64_t, bool, std::int64_t, double, Board::Index>;
  struct Order {
    std::set<Entry> entries;
    std::vector<std::optional<Entry>> of_node;
  };
  std::optional<Entry> rate(Board::Index node, const Needs& needs) const;
  Order& order_of(const Needs& needs);

  const Board& board_;
  std::map<const Needs*, Order> orders_;
};

}  // namespace trainyard::scheduler
