#include "monitor/events/drawn_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace trainyard::monitor {
namespace {

ScalarColumn column_of(int points, const std::function<double(int)>& value) {
  ScalarColumn column;
  for (int i = 0; i < points; ++i) column.add({i, i * 0.5, value(i)});
  return column;
}

PointRange at_most(std::size_t most) {
  return {std::nullopt, std::nullopt, most};
}
PointRange since(std::int64_t step) {
  return {step, std::nullopt, 1000};
}

std::vector<std::int64_t> steps_of(const std::vector<ScalarPoint>& points) {
  std::vector<std::int64_t> steps;
  for (const ScalarPoint& point : points) steps.push_back(point.step);
  return steps;
}

bool has(const std::vector<ScalarPoint>& points, std::int64_t step) {
  return std::any_of(points.begin(), points.end(), [&](const auto& p) { return p.step == step; });
}

TEST(DrawnPoints, AreAllWhereThereAreFew) {
  const ScalarColumn column = column_of(20, [](int i) { return i; });
  EXPECT_EQ(drawn_points(column, at_most(20)).size(), 20U);
  EXPECT_EQ(drawn_points(column, at_most(1000))[7], (ScalarPoint{7, 3.5, 7}));
  EXPECT_TRUE(drawn_points(ScalarColumn(), {}).empty());
}

TEST(DrawnPoints, KeepBothEndsAndEverySpike) {
  const ScalarColumn column = column_of(10'000, [](int i) {
    if (i == 1234) return 99.0;
    return i == 5678 ? -99.0 : std::sin(i * 0.01);
  });
  for (const std::size_t most :
       {std::size_t(8), std::size_t(9), std::size_t(100), std::size_t(1001)}) {
    const auto drawn = drawn_points(column, at_most(most));
    EXPECT_LE(drawn.size(), most);
    EXPECT_GE(drawn.size(), most / 2);
    EXPECT_EQ(drawn.front().step, 0);
    EXPECT_EQ(drawn.back().step, 9999);
    EXPECT_TRUE(has(drawn, 1234) && has(drawn, 5678)) << most;
    const auto steps = steps_of(drawn);
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
    EXPECT_EQ(std::adjacent_find(steps.begin(), steps.end()), steps.end());
  }
}

TEST(DrawnPoints, TellWhereALossIsNoNumberAnyMore) {
  const ScalarColumn column = column_of(5000, [](int i) { return i < 3003 ? 1.0 / (i + 1) : NAN; });
  const auto drawn = drawn_points(column, at_most(60));
  EXPECT_LE(drawn.size(), 60U);
  const auto first = std::find_if(drawn.begin(), drawn.end(),
                                  [](const auto& point) { return std::isnan(point.value); });
  ASSERT_NE(first, drawn.end());
  EXPECT_EQ(first->step, 3003);
}

TEST(DrawnPoints, AreOnlyThoseOfTheRange) {
  const ScalarColumn column = column_of(1000, [](int i) { return i % 7; });
  EXPECT_EQ(steps_of(drawn_points(column, since(996))), (std::vector<std::int64_t>{997, 998, 999}));
  EXPECT_EQ(steps_of(drawn_points(column, {10, 12, 1000})), (std::vector<std::int64_t>{11, 12}));
  EXPECT_TRUE(drawn_points(column, since(999)).empty());
  EXPECT_LE(drawn_points(column, {100, 900, 50}).size(), 50U);
}

}  // namespace
}  // namespace trainyard::monitor
