#pragma once

#include "monitor/series/series_block.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::monitor {

/// What is older than `age` is kept in rows of `step`, both in milliseconds.
struct Tier {
  std::int64_t age = 0;
  std::int64_t step = 0;
};

/// Samples for an hour, then ten seconds, after a day a minute. The coarsest first.
inline const std::vector<Tier> kUsageTiers{{std::int64_t{24} * 3'600'000, 60'000},
                                           {3'600'000, 10'000}};

/// Rows that begin before `before` become rows of `step`, on multiples of it, with mean, least and
/// most. Those that are longer already stay. In and out in the order of time.
std::vector<SeriesRow> coarser(const std::vector<SeriesRow>& rows, std::int64_t before,
                               std::int64_t step);

/// A file's blocks, with what is old in fewer rows and small blocks in larger ones.
std::string compact(std::string_view file, const std::vector<Tier>& tiers, std::int64_t now);

}  // namespace trainyard::monitor
