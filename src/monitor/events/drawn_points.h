#pragma once

#include "monitor/events/scalar_column.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace trainyard::monitor {

/// Which points of a curve are wanted.
struct PointRange {
  std::optional<std::int64_t> since;  // only later steps
  std::optional<std::int64_t> until;  // only this one and earlier ones
  std::size_t most = 1000;            // at least 8
};

/// Points that draw the same picture as all of the range do: the first and the last, of each cell
/// of as many points the lowest and the highest, and where there are values that are no numbers the
/// first of them. In the order of their writing.
std::vector<ScalarPoint> drawn_points(const ScalarColumn& column, const PointRange& range);

}  // namespace trainyard::monitor
