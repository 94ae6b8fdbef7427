#include "monitor/series/series_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace trainyard::monitor {
namespace {

/// As a container's usage is: a CPU that is never the same, a memory that hardly changes, no
/// network.
std::vector<SeriesRow> usage(std::size_t count, std::int64_t begin = 1'700'000'000'000) {
  std::minstd_rand random(3);
  std::vector<SeriesRow> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t end = begin + 2000 + static_cast<std::int64_t>(random() % 5);
    const float cpu = rounded(1.5F + 0.001F * static_cast<float>(random() % 500));
    const float memory = rounded(1.0e9F + 4096.0F * static_cast<float>(i / 50));
    rows.push_back(
        {{begin, end}, {ValueRange::of(cpu), ValueRange::of(memory), ValueRange::of(0)}});
    begin = end;
  }
  return rows;
}

TEST(SeriesBlock, GivesBackItsRowsInFewBytes) {
  const auto rows = usage(300);
  const std::string bytes = write_block(rows);
  const BlockFile file = read_blocks(bytes);
  ASSERT_EQ(file.blocks.size(), 1U);
  EXPECT_EQ(file.blocks[0].all(), rows);
  EXPECT_EQ(file.blocks[0].span(), (TimeSpan{rows.front().span.begin, rows.back().span.end}));
  EXPECT_EQ(file.damaged_bytes, 0U);
  EXPECT_LT(static_cast<double>(bytes.size()) / (300.0 * 3), 2.0) << "bytes a sample";
}

TEST(SeriesBlock, KeepsAnyNumbersAndGapsExactly) {
  const float inf = std::numeric_limits<float>::infinity();
  const float most = std::numeric_limits<float>::max();
  constexpr std::int64_t kLast = std::int64_t(1) << 61;
  const std::vector<SeriesRow> rows{{{-5, 0}, {{1, -inf, inf}}},
                                    {{0, 1}, {{0, -0.0F, most}}},
                                    {{1'000'000'000'000, 1'000'000'000'001}, {{5, 5, 5}}},
                                    {{kLast - 1, kLast}, {{1e-45F, -most, 3}}}};
  const std::string bytes = write_block(rows);
  const BlockFile file = read_blocks(bytes);
  ASSERT_EQ(file.blocks.size(), 1U);
  EXPECT_EQ(file.blocks[0].all(), rows);
}

TEST(SeriesBlock, GivesOneMetricAlone) {
  const auto rows = usage(50);
  const std::string bytes = write_block(rows);
  const auto column = read_blocks(bytes).blocks[0].column(1);
  ASSERT_EQ(column.size(), 50U);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(column[i], rows[i].values[1]);
  EXPECT_TRUE(read_blocks(bytes).blocks[0].column(3).empty());
}

TEST(SeriesBlock, ThatWasTornIsLeftOutWhateverItsLength) {
  const std::string whole = write_block(usage(20));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string bytes = whole + whole.substr(0, size);
    const BlockFile file = read_blocks(bytes);
    EXPECT_EQ(file.blocks.size(), 1U) << size;
    EXPECT_EQ(file.sound_bytes, whole.size()) << size;
    EXPECT_EQ(file.damaged_bytes, size);
  }
}

TEST(SeriesBlock, ThatIsDamagedDoesNotHideTheNext) {
  const std::string first = write_block(usage(20));
  const std::string second = write_block(usage(5, 1'800'000'000'000));
  for (std::size_t at = 0; at < first.size(); ++at) {
    std::string bytes = first + second;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const BlockFile file = read_blocks(bytes);
    ASSERT_EQ(file.blocks.size(), 1U) << at;
    EXPECT_EQ(file.blocks[0].rows(), 5U);
    EXPECT_EQ(file.damaged_bytes, first.size());
  }
}

TEST(SeriesBlock, RoundsByLessThanAnythingIsMeasured) {
  for (const float value : {1.0F, 0.3333333F, 123456789.0F, 1e-30F, -7.7F}) {
    EXPECT_NEAR(rounded(value) / value, 1, 0.00013);
  }
  EXPECT_EQ(rounded(0), 0);
  EXPECT_TRUE(std::isnan(rounded(NAN)));
  EXPECT_EQ(rounded(std::numeric_limits<float>::max()), std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace trainyard::monitor
