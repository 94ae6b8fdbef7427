#include "node/volumes/memory_folder.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <sys/vfs.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

constexpr auto kTmpfsMagic = 0x01021994;

TEST(MemoryFolder, IsAsLargeAsItMayBeAndGoesWithoutATrace) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to mount";
  const TestFolder folder;
  const auto place = folder.path() / "pod/with space";
  ASSERT_TRUE(make_folders(place, 0755));
  const auto mounted = mount_memory(place, 1 << 20);
  if (mounted.failed_with(Code::kForbidden)) GTEST_SKIP() << "may not mount here";
  ASSERT_TRUE(mounted);
  ASSERT_TRUE(write_file_unsynced(place / "file", "kept", 0644));
  ASSERT_TRUE(mount_memory(place, 1 << 20)) << "it is there";
  EXPECT_EQ(read_file(place / "file").value_or(""), "kept");
  struct statfs status{};
  ASSERT_EQ(::statfs(place.c_str(), &status), 0);
  EXPECT_EQ(status.f_type, kTmpfsMagic);
  EXPECT_EQ(static_cast<std::int64_t>(status.f_blocks) * status.f_bsize, 1 << 20);
  ASSERT_TRUE(unmount_below(folder.path() / "pod"));
  EXPECT_FALSE(std::filesystem::exists(place / "file"));
  const std::string mounts = read_file("/proc/self/mountinfo").value_or("");
  EXPECT_EQ(mounts.find(folder.path().string()), std::string::npos);
}

TEST(MemoryFolder, HasNothingToTakeAwayWhereNothingIs) {
  EXPECT_TRUE(unmount_below("/no/such/folder"));
}

}  // namespace
}  // namespace trainyard::node
