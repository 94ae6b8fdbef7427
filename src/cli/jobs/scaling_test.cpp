#include "cli/jobs/scaling.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

Json job(Json elastic) {
  return {{"apiVersion", "batch.tensorstack.dev/v1beta1"},
          {"metadata", {{"name", "grow"}}},
          {"spec", {{"elastic", std::move(elastic)}}}};
}

const Json kElastic{{"enabled", true}, {"minReplicas", 2}, {"maxReplicas", 4}};

TEST(Scale, OfAnElasticJobSetsWhatIsExpected) {
  const auto patch = scale_patch(job(kElastic), 3);
  ASSERT_TRUE(patch);
  EXPECT_EQ(to_text(*patch), R"({"spec":{"elastic":{"expectedReplicas":3}}})");
}

TEST(Scale, BeyondTheBoundsNamesThem) {
  for (const int wrong : {0, 1, 5}) {
    const auto patch = scale_patch(job(kElastic), wrong);
    ASSERT_FALSE(patch) << wrong;
    EXPECT_NE(patch.error().message().find("2 to 4"), std::string::npos);
  }
}

TEST(Scale, OfAJobThatIsNotElasticSaysWhatToDo) {
  const auto patch = scale_patch(job(Json{{"enabled", false}}), 3);
  ASSERT_FALSE(patch);
  EXPECT_NE(patch.error().message().find("spec.elastic"), std::string::npos);
}

TEST(Scale, OfKubeflowsElasticJobSetsItsWorkers) {
  const Json torch{{"apiVersion", "kubeflow.org/v1"},
                   {"spec", {{"elasticPolicy", {{"minReplicas", 1}, {"maxReplicas", 3}}}}}};
  const auto patch = scale_patch(torch, 2);
  ASSERT_TRUE(patch);
  EXPECT_EQ(to_text(*patch), R"({"spec":{"pytorchReplicaSpecs":{"Worker":{"replicas":2}}}})");
}

}  // namespace
}  // namespace trainyard::cli
