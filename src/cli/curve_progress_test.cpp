#include "cli/curve_progress.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(CurveProgress, IsThatOfTheRunThatWasWrittenToLast) {
  const auto answer = parse_json(R"({"runs": [
      {"name": "old", "curves": [{"tag": "loss", "last": {"step": 900, "time": 10.5, "value": 3}}]},
      {"name": "new", "curves": [
          {"tag": "accuracy", "last": {"step": 40, "time": 99.5, "value": 0.875}},
          {"tag": "loss", "last": {"step": 50, "time": 100.25, "value": 0.25}},
          {"tag": "odd", "last": {"step": 50, "time": 100.25, "value": "NaN"}}]}]})");
  ASSERT_TRUE(answer);
  const auto leading = leading_curve(*answer);
  ASSERT_TRUE(leading);
  EXPECT_EQ(leading->run, "new");
  EXPECT_EQ(leading->tag, "loss");
  EXPECT_EQ(leading->step, 50);
  EXPECT_EQ(leading->values, "accuracy 0.875, loss 0.25");
  EXPECT_FALSE(leading_curve(Json()));
}

TEST(CurveProgress, HasARateWhereThereArePoints) {
  const auto points =
      parse_json(R"({"curves": [{"steps": [10, 20, 50], "times": [1.5, 2, 11.5]}]})");
  EXPECT_EQ(curve_rate(*points), 4);
  EXPECT_FALSE(curve_rate(*parse_json(R"({"curves": [{"steps": [10], "times": [1]}]})")));
  EXPECT_FALSE(curve_rate(*parse_json(R"({"curves": [{"steps": [5, 5], "times": [1, 2]}]})")));
  EXPECT_FALSE(curve_rate(Json()));
}

}  // namespace
}  // namespace trainyard::cli
