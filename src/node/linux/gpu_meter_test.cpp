#include "node/linux/gpu_meter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard::node {
namespace {

TEST(GpuMeter, TellsHowGpusAreUsed) {
  GpuMeter meter(TRAINYARD_FAKE_NVML);
  const auto usages = meter.read({1, 0});
  ASSERT_EQ(usages.size(), 2U);
  EXPECT_EQ(usages[0].utilization, 91);
  EXPECT_EQ(usages[1].utilization, 90);
  EXPECT_EQ(usages[0].temperature, 61);
  EXPECT_EQ(usages[0].power, 350.5);
  EXPECT_EQ(usages[0].sm_clock, 1500);
  EXPECT_EQ(usages[0].memory_used, static_cast<float>(20ULL << 30));
  EXPECT_EQ(usages[0].memory_share, 25);
}

TEST(GpuMeter, KnowsNothingOfWhatIsNotThere) {
  GpuMeter meter(TRAINYARD_FAKE_NVML);
  EXPECT_TRUE(std::isnan(meter.read({7})[0].utilization));
  GpuMeter none("libnowhere-to-be-found.so.1");
  EXPECT_TRUE(std::isnan(none.read({0})[0].power));
  GpuMeter other("libc.so.6");
  EXPECT_TRUE(std::isnan(other.read({0})[0].memory_used));
}

}  // namespace
}  // namespace trainyard::node
