#include "monitor/events/scalar_column.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace trainyard::monitor {
namespace {

std::vector<ScalarPoint> points_of(const ScalarColumn& column) {
  std::vector<ScalarPoint> points;
  ScalarColumn::Reader reader(column);
  while (const auto point = reader.next()) points.push_back(*point);
  return points;
}

/// A loss that falls, written about every 50 ms.
std::vector<ScalarPoint> curve(int count) {
  std::vector<ScalarPoint> points;
  for (int i = 0; i < count; ++i) {
    const double jitter = 0.001 * ((i * 7919) % 13);
    points.push_back({i, 1.7e9 + 0.05 * i + jitter, static_cast<float>(1.0 / (1 + i))});
  }
  return points;
}

TEST(ScalarColumn, GivesBackWhatWasAddedInFewBytes) {
  ScalarColumn column;
  const auto points = curve(100'000);
  for (const ScalarPoint& point : points) column.add(point);
  EXPECT_EQ(points_of(column), points);
  EXPECT_EQ(column.last(), points.back());
  EXPECT_EQ(column.size(), points.size());
  EXPECT_LT(column.bytes(), points.size() * 9);
  EXPECT_EQ(column.greatest(), 1);
}

TEST(ScalarColumn, KeepsWhatDoesNotCompress) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<ScalarPoint> points{{INT64_MIN, -1e300, 0.1},
                                        {INT64_MAX, 5e-324, -inf},
                                        {0, inf, 1e300},
                                        {-1, 0, 3},
                                        {-1, -0.0, 1.0000000000000002}};
  ScalarColumn column;
  for (const ScalarPoint& point : points) column.add(point);
  EXPECT_EQ(points_of(column), points);
}

TEST(ScalarColumn, BecomesWideWhenAValueIsNoFloat) {
  auto points = curve(1000);
  points[700].value = 0.1;
  ScalarColumn column;
  for (const ScalarPoint& point : points) column.add(point);
  EXPECT_EQ(points_of(column), points);
  EXPECT_EQ(column.seen(), 1000U);
}

TEST(ScalarColumn, KeepsNaNsOutOfItsBounds) {
  ScalarColumn column;
  column.add({0, 0, std::nan("")});
  EXPECT_GT(column.least(), column.greatest());
  column.add({1, 1, 2});
  column.add({2, 2, std::nan("")});
  EXPECT_EQ(column.least(), 2);
  EXPECT_EQ(column.greatest(), 2);
  EXPECT_TRUE(std::isnan(points_of(column).back().value));
}

TEST(ScalarColumn, ThinnedStillHasItsExtremesAndItsEnds) {
  auto points = curve(10'000);
  points[5003].value = 77;
  points[6001].value = -5;
  ScalarColumn column;
  for (const ScalarPoint& point : points) column.add(point);
  for (int i = 0; i < 5; ++i) column.thin();
  EXPECT_LT(column.size(), 400U);
  EXPECT_EQ(column.seen(), 10'000U);
  EXPECT_EQ(column.greatest(), 77);
  EXPECT_EQ(column.least(), -5);
  const auto left = points_of(column);
  for (std::size_t i = 1; i < left.size(); ++i) EXPECT_LT(left[i - 1].step, left[i].step);
  column.add({10'000, 1.8e9, 1});
  EXPECT_EQ(points_of(column).back(), (ScalarPoint{10'000, 1.8e9, 1}));
}

TEST(ScalarColumn, ForgetsWhatARestartWritesAgain) {
  ScalarColumn column;
  const auto points = curve(100);
  for (const ScalarPoint& point : points) column.add(point);
  column.drop_from(40);
  EXPECT_EQ(column.size(), 40U);
  EXPECT_EQ(column.last().step, 39);
  column.add({40, 1.8e9, 5});
  EXPECT_EQ(points_of(column).size(), 41U);
}

}  // namespace
}  // namespace trainyard::monitor
