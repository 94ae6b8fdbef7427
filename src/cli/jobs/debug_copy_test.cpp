#include "cli/jobs/debug_copy.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

const Json kJob{{"apiVersion", "batch.tensorstack.dev/v1beta1"},
                {"kind", "PyTorchTrainingJob"},
                {"metadata",
                 {{"name", "fit"},
                  {"namespace", "team"},
                  {"uid", "u1"},
                  {"resourceVersion", "7"},
                  {"labels", {{"a", "b"}}},
                  {"annotations", {{"trainyard.dev/port", "29501"}}}}},
                {"spec", {{"replicaSpecs", {1}}, {"runMode", {{"pause", {{"enabled", true}}}}}}},
                {"status", {{"phase", "Failed"}}}};

TEST(DebugCopy, HasTheSpecButNothingThatBelongsToTheFirst) {
  const auto copy = debug_copy(kJob, "fit-debug");
  ASSERT_TRUE(copy);
  EXPECT_EQ(to_text(*find(*copy, "metadata")),
            R"({"name":"fit-debug","namespace":"team","labels":{"a":"b"}})");
  EXPECT_EQ(array_at(*copy, "spec.replicaSpecs").size(), 1U);
  EXPECT_EQ(find(*copy, "status"), nullptr);
}

TEST(DebugCopy, IdlesAndIsNotHeld) {
  const auto copy = debug_copy(kJob, "fit-debug");
  ASSERT_TRUE(copy);
  EXPECT_TRUE(bool_at(*copy, "spec.runMode.debug.enabled"));
  EXPECT_FALSE(bool_at(*copy, "spec.runMode.pause.enabled"));
}

TEST(DebugCopy, OfAKindWithoutDebugModeIsAnError) {
  const auto copy = debug_copy({{"apiVersion", "kubeflow.org/v1"}, {"kind", "TFJob"}}, "x");
  ASSERT_FALSE(copy);
  EXPECT_NE(copy.error().message().find("TFJob"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::cli
