#include "node/linux/nvml.h"

#include <gtest/gtest.h>

#include <stdlib.h>

namespace trainyard::node {
namespace {

TEST(Nvml, TellsTheMachinesGpus) {
  const auto gpus = find_gpus(TRAINYARD_FAKE_NVML);
  ASSERT_TRUE(gpus) << gpus.error().message();
  ASSERT_EQ(gpus->size(), 2U);
  EXPECT_EQ((*gpus)[1].name, "Fake H100");
  EXPECT_EQ((*gpus)[1].uuid, "GPU-fake-1");
  EXPECT_EQ((*gpus)[1].memory_bytes, 80LL << 30);
}

TEST(Nvml, WithoutTheDriverThereAreNone) {
  const auto gpus = find_gpus("libnowhere-to-be-found.so.1");
  ASSERT_TRUE(gpus);
  EXPECT_TRUE(gpus->empty());
}

TEST(Nvml, ThatDoesNotStartIsAnError) {
  ::setenv("FAKE_NVML", "broken", 1);
  const auto gpus = find_gpus(TRAINYARD_FAKE_NVML);
  ::unsetenv("FAKE_NVML");
  ASSERT_TRUE(gpus.failed_with(Code::kUnavailable));
  EXPECT_NE(gpus.error().message().find("nvidia-smi"), std::string::npos);
}

TEST(Nvml, OfAnotherLibraryIsRefused) {
  const auto gpus = find_gpus("libc.so.6");
  ASSERT_TRUE(gpus.failed_with(Code::kUnavailable));
  EXPECT_NE(gpus.error().message().find("too old"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::node
