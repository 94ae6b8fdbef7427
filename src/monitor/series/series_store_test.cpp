#include "monitor/series/series_store.h"

#include "base/files/test_folder.h"
#include "monitor/series/series_query.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace trainyard::monitor {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kHour = 3600 * kSecond;
constexpr std::int64_t kStart = 1'700'000'040'000;  // at a full minute

/// One metric that counts up, a sample every two seconds.
std::vector<SeriesRow> ramp(std::int64_t from, std::size_t count) {
  std::vector<SeriesRow> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t begin = from + static_cast<std::int64_t>(i) * 2 * kSecond;
    rows.push_back({{begin, begin + 2 * kSecond}, {ValueRange::of(static_cast<float>(i % 60))}});
  }
  return rows;
}

std::vector<SeriesRow> rows_of(const std::string& bytes) {
  std::vector<SeriesRow> rows;
  for (const SeriesBlock& block : read_blocks(bytes).blocks) {
    for (SeriesRow& row : block.all()) rows.push_back(std::move(row));
  }
  return rows;
}

TEST(SeriesCompaction, MakesOldRowsCoarserAndKeepsTheirExtremes) {
  const auto rows = coarser(ramp(kStart, 60), kStart + 60 * kSecond, 10 * kSecond);
  // Thirty samples of the first minute become six rows; the rest stays.
  ASSERT_EQ(rows.size(), 6U + 30U);
  EXPECT_EQ(rows[0].span, (TimeSpan{kStart, kStart + 10 * kSecond}));
  EXPECT_EQ(rows[0].values[0], (ValueRange{2, 0, 4}));
  EXPECT_EQ(rows[5].values[0], (ValueRange{27, 25, 29}));
  EXPECT_EQ(rows[6].values[0], ValueRange::of(30));
  EXPECT_EQ(coarser(rows, kStart + 60 * kSecond, 10 * kSecond), rows) << "once is enough";
}

TEST(SeriesCompaction, OfTwoDaysHasThreeTiers) {
  std::string file;
  const auto all = ramp(kStart, 48 * 1800);
  for (std::size_t i = 0; i < all.size(); i += 30) {
    file += write_block(std::span(all).subspan(i, std::min<std::size_t>(30, all.size() - i)));
  }
  const std::int64_t now = kStart + 48 * kHour;
  const std::string compacted = compact(file, kUsageTiers, now);
  const auto rows = rows_of(compacted);
  EXPECT_EQ(rows.size(), 24U * 60 + 23 * 360 + 1800);
  EXPECT_EQ(compact(compacted, kUsageTiers, now), compacted);
  std::int64_t last = 0;
  for (const SeriesRow& row : rows) {
    EXPECT_GE(row.span.begin, last);
    last = row.span.end;
  }
  EXPECT_EQ(rows.front().values[0], (ValueRange{14.5, 0, 29}));
}

TEST(SeriesQuery, MeansAreByTimeAndExtremesByStep) {
  const std::string bytes = write_block(ramp(kStart, 30));
  const auto blocks = read_blocks(bytes).blocks;
  const auto steps = read_steps(blocks, 0, {kStart - 5 * kSecond, 10 * kSecond, 8});
  ASSERT_EQ(steps.size(), 8U);
  EXPECT_EQ(steps[0].known, 5 * kSecond);
  EXPECT_DOUBLE_EQ(steps[0].mean, (0 * 2 + 1 * 2 + 2 * 1) / 5.0);
  EXPECT_EQ(steps[1].low, 2);
  EXPECT_EQ(steps[1].high, 6) << "most of the next one is in the next step";
  EXPECT_EQ(steps[7].known, 0) << "nothing is known there";
}

TEST(SeriesQuery, CombinesReplicas) {
  const std::vector<std::vector<StepValue>> all{{{10, 1, 1, 2}, {0, 0, 0, 0}},
                                                {{10, 3, 2, 5}, {10, 4, 4, 4}}};
  EXPECT_EQ(combine(all, Together::kSum)[0].mean, 4);
  EXPECT_EQ(combine(all, Together::kSum)[1].mean, 4);
  EXPECT_EQ(combine(all, Together::kMean)[0].mean, 2);
  EXPECT_EQ(combine(all, Together::kMean)[1].mean, 4);
  EXPECT_EQ(combine(all, Together::kLeast)[0].mean, 1);
  EXPECT_EQ(combine(all, Together::kGreatest)[0].high, 5);
}

class SeriesStoreTest : public testing::Test {
 protected:
  TestFolder folder_;
  SeriesStore store_ = *SeriesStore::open(folder_.path() / "usage");
};

TEST_F(SeriesStoreTest, FindsWhatWasWrittenBefore) {
  ASSERT_TRUE(store_.describe("a", "pod a"));
  ASSERT_TRUE(store_.append("a", write_block(ramp(kStart, 30))));
  ASSERT_TRUE(store_.append("a", write_block(ramp(kStart + 60 * kSecond, 30))));
  const SeriesStore again = *SeriesStore::open(folder_.path() / "usage");
  const auto kept = again.list();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].about, "pod a");
  EXPECT_GT(kept[0].written, kStart);
  EXPECT_GT(kept[0].bytes, 100U);
  EXPECT_EQ(rows_of(*again.read("a")).size(), 60U);
  EXPECT_EQ(*again.read("b"), "");
}

TEST_F(SeriesStoreTest, GoesOnBehindATornBlockAndCompactsItAway) {
  const std::string block = write_block(ramp(kStart, 30));
  ASSERT_TRUE(store_.append("a", block));
  ASSERT_TRUE(store_.append("a", block.substr(0, 50)));  // as a power cut leaves it
  ASSERT_TRUE(store_.append("a", write_block(ramp(kStart + 100 * kSecond, 30))));
  EXPECT_EQ(rows_of(*store_.read("a")).size(), 60U);
  ASSERT_TRUE(store_.compact("a", kStart + 200 * kSecond));
  EXPECT_EQ(read_blocks(*store_.read("a")).damaged_bytes, 0U);
  EXPECT_EQ(rows_of(*store_.read("a")).size(), 60U);
}

TEST_F(SeriesStoreTest, KeepsToAgeAndSize) {
  const std::vector<KeptSeries> kept{
      {"old", "", 10, 100}, {"new", "", 10, 1000}, {"middle", "", 10, 500}};
  EXPECT_EQ(outdated(kept, {600, 1000}, 1100), std::vector<std::string>{"old"});
  EXPECT_EQ(outdated(kept, {10'000, 25}, 1100), std::vector<std::string>{"old"});
  EXPECT_EQ(outdated(kept, {10'000, 15}, 1100), (std::vector<std::string>{"middle", "old"}));
  EXPECT_TRUE(outdated(kept, {10'000, 30}, 1100).empty());
  EXPECT_EQ(outdated(kept, {10'000, 30, 2}, 1100), std::vector<std::string>{"old"});
}

}  // namespace
}  // namespace trainyard::monitor
