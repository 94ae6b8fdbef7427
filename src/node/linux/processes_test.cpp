#include "node/linux/processes.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

class ProcessTableTest : public testing::Test {
 protected:
  /// 10 ms of CPU a tick; 4 KiB a page.
  void add(int pid, int parent, int ticks, int pages, const char* name = "python3") const {
    const auto folder = proc_.path() / std::to_string(pid);
    std::filesystem::create_directories(folder / "fd");
    const std::string stat =
        fmt::format("{} ({}) S {} 1 1 0 -1 0 0 0 0 0 {} 0 0 0 20 0 1 0 5000 1000000 {} 0\n", pid,
                    name, parent, ticks, pages);
    ASSERT_TRUE(write_file_unsynced(folder / "stat", stat, 0644));
    ASSERT_TRUE(write_file_unsynced(
        folder / "io", fmt::format("rchar: 7\nread_bytes: {}\nwrite_bytes: {}\n", pid, 2 * pid),
        0644));
  }
  TestFolder proc_;
};

TEST_F(ProcessTableTest, AFamilyIsAllBelow) {
  add(10, 1, 1, 1, "trainyard-shim");
  add(11, 10, 5, 100, "a ) S 1 (b");
  add(12, 11, 7, 50);
  add(13, 1, 99, 99);
  const ProcessTable table(proc_.path());
  const std::vector<int> family = table.family_of(10);
  EXPECT_EQ(family, (std::vector<int>{10, 11, 12}));
  ContainerCounters counters = table.counters_of(family);
  EXPECT_EQ(counters.cpu_microseconds, 13 * 1'000'000 / ::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(counters.memory_bytes, 150 * ::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(table.threads_of(family), 2) << "the shim's own does not count";
  table.add_disk(family, counters);
  EXPECT_EQ(counters.disk_read_bytes, 33);
  EXPECT_EQ(counters.disk_written_bytes, 66);
}

TEST_F(ProcessTableTest, OfWhoIsGoneThereIsNone) {
  add(10, 1, 1, 1);
  EXPECT_TRUE(ProcessTable(proc_.path()).family_of(11).empty());
  EXPECT_TRUE(ProcessTable("/nowhere").family_of(10).empty());
}

TEST_F(ProcessTableTest, SocketsThatAreSharedCountOnce) {
  add(10, 1, 1, 1);
  add(11, 10, 1, 1);
  const auto link = [&](int pid, const char* number, const char* target) {
    std::filesystem::create_symlink(target, proc_.path() / std::to_string(pid) / "fd" / number);
  };
  link(10, "3", "socket:[77]");
  link(10, "4", "/dev/null");
  link(11, "3", "socket:[77]");
  link(11, "5", "socket:[12]");
  const ProcessTable table(proc_.path());
  EXPECT_EQ(table.sockets_of(table.family_of(10)), (std::vector<std::uint64_t>{12, 77}));
}

TEST(KernelProcesses, ShowThisOne) {
  const ProcessTable table("/proc");
  const std::vector<int> family = table.family_of(::getpid());
  ASSERT_FALSE(family.empty());
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  struct stat status{};
  ASSERT_EQ(::fstat(socket, &status), 0);
  const auto sockets = table.sockets_of(family);
  EXPECT_EQ(std::count(sockets.begin(), sockets.end(), status.st_ino), 1);
  ::close(socket);
}

}  // namespace
}  // namespace trainyard::node
