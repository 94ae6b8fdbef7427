#include "monitor/series/series_compaction.h"

#include <algorithm>
#include <span>

namespace trainyard::monitor {
namespace {

constexpr std::size_t kRowsOfABlock = 360;

std::int64_t cell_of(const TimeSpan& span, std::int64_t step) {
  const std::int64_t middle = span.begin + (span.end - span.begin) / 2;
  return middle / step;
}

/// By the time that each was true for. What is known stands for what is not.
void join(SeriesRow& into, double& known, const SeriesRow& row) {
  const auto more = static_cast<double>(row.span.end - row.span.begin);
  for (std::size_t i = 0; i < into.values.size(); ++i) {
    ValueRange& value = into.values[i];
    const ValueRange& other = row.values[i];
    if (!other.known()) continue;
    if (!value.known()) {
      value = other;
      continue;
    }
    value.mean =
        static_cast<float>(value.mean + (other.mean - value.mean) * (more / (known + more)));
    value.low = std::min(value.low, other.low);
    value.high = std::max(value.high, other.high);
  }
  known += more;
  into.span.end = row.span.end;
}

}  // namespace

std::vector<SeriesRow> coarser(const std::vector<SeriesRow>& rows, std::int64_t before,
                               std::int64_t step) {
  std::vector<SeriesRow> fewer;
  double known = 0;  // milliseconds of the last row that something is known of
  for (const SeriesRow& row : rows) {
    // A cell that is not over yet waits, so that it is made at once.
    const bool old = (cell_of(row.span, step) + 1) * step <= before;
    const bool joins = old && !fewer.empty() && fewer.back().values.size() == row.values.size() &&
                       cell_of(fewer.back().span, step) == cell_of(row.span, step) &&
                       fewer.back().span.end - fewer.back().span.begin < step;
    if (joins) {
      join(fewer.back(), known, row);
      continue;
    }
    fewer.push_back(row);
    known = static_cast<double>(row.span.end - row.span.begin);
  }
  for (SeriesRow& row : fewer) {
    for (ValueRange& value : row.values) {
      value = {rounded(value.mean), rounded(value.low), rounded(value.high)};
    }
  }
  return fewer;
}

std::string compact(std::string_view file, const std::vector<Tier>& tiers, std::int64_t now) {
  std::vector<SeriesRow> rows;
  for (const SeriesBlock& block : read_blocks(file).blocks) {
    for (SeriesRow& row : block.all()) {
      // Blocks of a server whose clock was turned back.
      if (!rows.empty() && row.span.begin < rows.back().span.end) continue;
      rows.push_back(std::move(row));
    }
  }
  for (const Tier& tier : tiers) rows = coarser(rows, now - tier.age, tier.step);
  std::string compacted;
  std::span<const SeriesRow> rest(rows);
  while (!rest.empty()) {
    // Samples and coarser rows do not share a block: only the latter have ranges. Nor do rows of
    // different metrics.
    const auto kind = [](const SeriesRow& row) {
      return std::any_of(row.values.begin(), row.values.end(),
                         [](const ValueRange& value) { return value.is_wide(); });
    };
    const bool ranged = kind(rest.front());
    std::size_t count = 1;
    while (count < std::min(rest.size(), kRowsOfABlock) && kind(rest[count]) == ranged &&
           rest[count].values.size() == rest.front().values.size()) {
      ++count;
    }
    compacted += write_block(rest.first(count));
    rest = rest.subspan(count);
  }
  return compacted;
}

}  // namespace trainyard::monitor
