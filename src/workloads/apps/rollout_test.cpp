#include "workloads/apps/rollout.h"

#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

RolloutForm form(std::int64_t replicas, std::int64_t surge, std::int64_t unavailable) {
  RolloutForm result;
  result.replicas = replicas;
  result.max_surge = surge;
  result.max_unavailable = unavailable;
  return result;
}

SetSize set(const std::string& uid, std::int64_t replicas, std::int64_t available,
            std::int64_t max_replicas = 0) {
  return SetSize{uid, replicas, replicas, available, max_replicas, uid};  // named by their age
}

Json deployment(std::int64_t replicas, Json surge, Json unavailable) {
  return {{"spec",
           {{"replicas", replicas},
            {"strategy",
             {{"type", "RollingUpdate"},
              {"rollingUpdate",
               {{"maxSurge", std::move(surge)}, {"maxUnavailable", std::move(unavailable)}}}}}}}};
}

TEST(ReadRollout, RoundsTheSurgeUpAndWhatMayBeUnavailableDown) {
  const RolloutForm read = read_rollout(deployment(10, "25%", "25%"));
  EXPECT_EQ(read.max_surge, 3);
  EXPECT_EQ(read.max_unavailable, 2);
}

TEST(ReadRollout, LetsSomethingMoveWhenBothRoundToNothing) {
  EXPECT_EQ(read_rollout(deployment(3, 0, "10%")).max_unavailable, 1);
}

TEST(ReadRollout, NeverCountsMoreUnavailableThanThereAre) {
  EXPECT_EQ(read_rollout(deployment(2, 1, 5)).max_unavailable, 2);
  EXPECT_EQ(read_rollout(deployment(0, 1, 1)).max_unavailable, 0);
}

TEST(ReadRollout, TakesAQuarterWhenNothingIsSaid) {
  const RolloutForm read = read_rollout(Json{{"spec", {{"replicas", 4}}}});
  EXPECT_EQ(read.max_surge, 1);
  EXPECT_EQ(read.max_unavailable, 1);
  EXPECT_TRUE(read.has_deadline);
}

TEST(NewSetSize, GrowsAsFarAsTheSurgeAllows) {
  EXPECT_EQ(new_set_size(form(10, 3, 2), 0, 10), 3);
  EXPECT_EQ(new_set_size(form(10, 3, 2), 3, 10), 3);
  EXPECT_EQ(new_set_size(form(10, 3, 2), 3, 8), 5);
  EXPECT_EQ(new_set_size(form(10, 3, 2), 5, 10), 5);
  EXPECT_EQ(new_set_size(form(10, 3, 2), 8, 0), 10);
  EXPECT_EQ(new_set_size(form(10, 3, 2), 12, 0), 10);
}

TEST(ShrinkOldSets, SparesWhatMustBeAvailable) {
  EXPECT_EQ(shrink_old_sets(form(10, 3, 2), set("new", 3, 0), {set("a", 10, 10)}),
            (Sizes{{"a", 8}}));
  EXPECT_EQ(shrink_old_sets(form(10, 3, 2), set("new", 3, 3), {set("a", 8, 8)}), (Sizes{{"a", 5}}));
  EXPECT_TRUE(shrink_old_sets(form(10, 3, 0), set("new", 3, 0), {set("a", 10, 10)}).empty());
}

TEST(ShrinkOldSets, GivesUpPodsThatDoNotWorkFirst) {
  // Of the older set 3 are broken; they are no loss, and the newer one keeps its own.
  EXPECT_EQ(shrink_old_sets(form(10, 5, 0), set("new", 5, 0), {set("a", 3, 0), set("b", 7, 7)}),
            (Sizes{}));
  EXPECT_EQ(shrink_old_sets(form(10, 5, 0), set("new", 3, 3), {set("a", 3, 0), set("b", 9, 7)}),
            (Sizes{{"a", 0}, {"b", 7}}));
}

TEST(ShrinkOldSets, DoesNotCountPodsThatAreAboutToGo) {
  SetSize shrinking = set("a", 8, 10);  // told to shrink to 8, and not there yet
  EXPECT_TRUE(shrink_old_sets(form(10, 3, 2), set("new", 3, 0), {shrinking}).empty());
}

TEST(ScaleInProportion, SharesTheChangeBySize) {
  // 10 replicas, 5 more at most: 10 and 5 of 15 became 20 + 5.
  EXPECT_EQ(scale_in_proportion(form(20, 5, 0), {set("a", 10, 10, 15), set("b", 5, 5, 15)}),
            (Sizes{{"a", 17}, {"b", 8}}));
  EXPECT_EQ(scale_in_proportion(form(5, 2, 0), {set("a", 10, 10, 15), set("b", 5, 5, 15)}),
            (Sizes{{"a", 5}, {"b", 2}}));
  EXPECT_EQ(scale_in_proportion(form(0, 0, 0), {set("a", 10, 10, 15), set("b", 5, 5, 15)}),
            (Sizes{{"a", 0}, {"b", 0}}));
}

TEST(ScaleInProportion, GivesWhatRoundingLeavesToTheLargest) {
  const Sizes sizes = scale_in_proportion(
      form(10, 1, 0), {set("a", 3, 3, 10), set("b", 3, 3, 10), set("c", 4, 4, 10)});
  std::int64_t total = 0;
  for (const auto& [uid, size] : sizes) total += size;
  EXPECT_EQ(total, 11);
  EXPECT_EQ(sizes.at("c"), 5);
}

}  // namespace
}  // namespace trainyard::workloads
