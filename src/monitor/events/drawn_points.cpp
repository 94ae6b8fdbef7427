#include "monitor/events/drawn_points.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainyard::monitor {
namespace {

bool is_in(const ScalarPoint& point, const PointRange& range) {
  return (!range.since || point.step > *range.since) &&
         (!range.until || point.step <= *range.until);
}

/// What is kept of one cell, with the places of the points.
class Cell {
 public:
  void add(std::uint64_t place, const ScalarPoint& point) {
    const Seen seen{place, point};
    if (!std::isfinite(point.value)) {
      if (!odd_) odd_ = seen;
      return;
    }
    if (!low_ || point.value < low_->point.value) low_ = seen;
    if (!high_ || point.value > high_->point.value) high_ = seen;
  }
  void flush(std::vector<ScalarPoint>& to) {
    std::array<std::optional<Seen>, 3> kept{low_, high_, odd_};
    if (low_ && high_ && low_->place == high_->place) kept[1].reset();
    std::sort(kept.begin(), kept.end(),
              [](const auto& a, const auto& b) { return a && (!b || a->place < b->place); });
    for (const auto& one : kept) {
      if (one) to.push_back(one->point);
    }
    *this = Cell();
  }

 private:
  struct Seen {
    std::uint64_t place = 0;
    ScalarPoint point;
  };
  std::optional<Seen> low_;
  std::optional<Seen> high_;
  std::optional<Seen> odd_;
};

}  // namespace

std::vector<ScalarPoint> drawn_points(const ScalarColumn& column, const PointRange& range) {
  std::uint64_t count = 0;
  bool has_odd = false;
  ScalarColumn::Reader counting(column);
  while (const auto point = counting.next()) {
    if (!is_in(*point, range)) continue;
    ++count;
    has_odd = has_odd || !std::isfinite(point->value);
  }
  std::vector<ScalarPoint> drawn;
  const std::uint64_t most = std::max<std::size_t>(range.most, 8);
  drawn.reserve(std::min(count, most));
  const std::uint64_t cells = (most - 2) / (has_odd ? 3 : 2);
  const std::uint64_t inner = count > 2 ? count - 2 : 0;
  std::uint64_t place = 0;
  std::uint64_t cell_end = 0;
  std::uint64_t cell_number = 0;
  Cell cell;
  ScalarColumn::Reader reader(column);
  while (const auto point = reader.next()) {
    if (!is_in(*point, range)) continue;
    const bool edge = place == 0 || place + 1 == count;
    if (count <= most || edge) {
      if (edge) cell.flush(drawn);
      drawn.push_back(*point);
    } else {
      if (place - 1 >= cell_end) {
        cell.flush(drawn);
        cell_end = ++cell_number * inner / cells;
      }
      cell.add(place, *point);
    }
    ++place;
  }
  return drawn;
}

}  // namespace trainyard::monitor
