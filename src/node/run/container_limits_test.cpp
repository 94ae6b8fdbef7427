#include "node/run/container_limits.h"

#include "contract/cpu_sharing.h"
#include "object/values/metadata.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

Json container(Json limits, Json requests) {
  return {{"resources", {{"limits", std::move(limits)}, {"requests", std::move(requests)}}}};
}

TEST(ContainerLimits, FollowTheContainersResources) {
  const auto limits =
      limits_of(container({{"cpu", "1500m"}, {"memory", "64Mi"}}, {{"cpu", "250m"}}), Machine());
  EXPECT_EQ(limits.cpu_milli, 1500);
  EXPECT_EQ(limits.cpu_weight_milli, 250);
  EXPECT_EQ(limits.memory_bytes, 64 << 20);
  EXPECT_EQ(limits.memory_text, "64Mi");
}

TEST(ContainerLimits, WithoutARequestTheLimitIsTheWeight) {
  const auto limits = limits_of(container({{"cpu", 2}}, JsonObject()), Machine());
  EXPECT_EQ(limits.cpu_weight_milli, 2000);
}

TEST(ContainerLimits, OfWhoSaysNothingAreThoseOfProcessesOnly) {
  Machine machine;
  machine.cpus = 4;
  const auto limits = limits_of(JsonObject(), machine);
  EXPECT_FALSE(limits.cpu_milli || limits.cpu_weight_milli || limits.memory_bytes);
  EXPECT_EQ(limits.processes, 1024 + 4 * 512);
}

TEST(SharesCpu, WhoSaysSoAndAsksForNone) {
  Json pod{{"metadata", {{"annotations", {{contract::kCpuAnnotation, "shared"}}}}},
           {"spec", {{"containers", JsonArray{container(JsonObject(), {{"memory", "1Gi"}})}}}}};
  EXPECT_TRUE(shares_cpu(pod));
  Json asks = pod;
  make_path(asks, "spec.initContainers") = JsonArray{container({{"cpu", 1}}, JsonObject())};
  EXPECT_FALSE(shares_cpu(asks)) << "a part of its own is what it asks for";
  make_path(pod, "metadata.annotations") = JsonObject();
  EXPECT_FALSE(shares_cpu(pod));
}

}  // namespace
}  // namespace trainyard::node
