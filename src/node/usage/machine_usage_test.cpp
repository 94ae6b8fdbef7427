#include "node/usage/machine_usage.h"

#include "base/files/test_folder.h"
#include "node/linux/cgroup_files.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

TEST(MachineUsage, IsWhatAllCpusDidAndTheMemoryThatIsNotToBeHad) {
  const TestFolder proc;
  ASSERT_TRUE(write_setting(proc.path() / "stat", "cpu  100 0 50 900 30 0 10 0 0 0\ncpu0 1\n"));
  ASSERT_TRUE(write_setting(proc.path() / "meminfo",
                            "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 400 kB\n"));
  const auto counters = read_machine_counters(proc.path());
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->cpu_microseconds, 1'600'000);  // 160 ticks of 10 ms
  EXPECT_EQ(counters->memory_bytes, 600 * 1024);
}

TEST(MachineUsage, WithoutProcIsAnError) {
  EXPECT_FALSE(read_machine_counters("/nowhere"));
}

}  // namespace
}  // namespace trainyard::node
