#include "object/values/status.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(Status, AnObjectHasEndedWhenItsPhaseNeverChangesAgain) {
  const auto with_phase = [](const char* phase) { return Json{{"status", {{"phase", phase}}}}; };
  EXPECT_TRUE(has_ended(with_phase("Succeeded")));
  EXPECT_TRUE(has_ended(with_phase("Failed")));
  EXPECT_FALSE(has_ended(with_phase("Running")));
  EXPECT_FALSE(has_ended(Json{{"kind", "Pod"}}));
}

TEST(Status, FindsAConditionByItsType) {
  const Json pod{{"status",
                  {{"conditions", JsonArray{{{"type", "PodScheduled"}, {"status", "True"}},
                                            {{"type", "Ready"}, {"status", "False"}}}}}}};
  ASSERT_NE(find_condition(pod, "Ready"), nullptr);
  EXPECT_EQ(string_at(*find_condition(pod, "Ready"), "status"), "False");
  EXPECT_EQ(find_condition(pod, "Initialized"), nullptr);
  EXPECT_TRUE(has_condition(pod, "PodScheduled"));
  EXPECT_FALSE(has_condition(pod, "Ready"));
  EXPECT_FALSE(has_condition(Json{{"kind", "Pod"}}, "Ready"));
}

}  // namespace
}  // namespace trainyard
