#include "node/volumes/volume_folder.h"

#include "base/files/test_folder.h"
#include "node/namespace_groups.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

class VolumeFolder : public testing::Test {
 protected:
  VolumeFolder() : groups_(Paths(folder_.path())), group_(groups_.of("ns")) {}
  void SetUp() override {
    if (!group_) GTEST_SKIP() << "only root can give out groups";
    const auto made = make_volume_folder(volume_, group_);
    ASSERT_TRUE(made) << made.error().message();
    if (*made != Sharing::kByAcl) GTEST_SKIP() << "no access lists here";
  }
  struct stat status() const {
    struct stat status{};
    ::stat(volume_.c_str(), &status);
    return status;
  }
  /// Whether that user, in that group only, can write to a file, which is made where it is missing.
  /// Told by a pipe: other tests of this program leave the end of children to the kernel.
  bool writes(const char* file, uid_t user, std::int64_t group) const {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    const pid_t child = ::fork();
    if (child == 0) {
      const auto gid = static_cast<gid_t>(group);
      if (::setgroups(1, &gid) != 0 || ::setgid(user) != 0 || ::setuid(user) != 0) ::_exit(2);
      ::umask(022);
      const bool opened = ::open((volume_ / file).c_str(), O_WRONLY | O_CREAT, 0666) >= 0;
      ::_exit(opened && ::write(ends[1], "y", 1) == 1 ? 0 : 1);
    }
    ::close(ends[1]);
    char answer = 'n';
    const bool told = ::read(ends[0], &answer, 1) == 1;
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return told && answer == 'y';
  }

  TestFolder folder_;
  NamespaceGroups groups_;
  std::optional<std::int64_t> group_;
  std::filesystem::path volume_ = folder_.path() / "volumes/ns/data";
};

TEST_F(VolumeFolder, IsThePodsToWriteWhoeverTheyRunAs) {
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_TRUE(writes("of-root", 0, *group_));
  EXPECT_TRUE(writes("of-root", 1000, *group_)) << "though its umask was 022";
  EXPECT_TRUE(writes("of-1000", 1000, *group_));
  EXPECT_TRUE(writes("of-1000", 2000, *group_));
  EXPECT_FALSE(writes("of-1000", 2000, *group_ + 1)) << "another namespace's";
  EXPECT_FALSE(writes("new", 2000, *group_ + 1));
}

TEST_F(VolumeFolder, IsGivenToAnFsGroupAndStaysTheNamespaces) {
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_TRUE(writes("before", 0, *group_));
  ASSERT_TRUE(give_to_fs_group(volume_, 54324));
  EXPECT_EQ(status().st_gid, 54324U);
  EXPECT_EQ(status().st_mode & 07777, 02775U);
  EXPECT_TRUE(writes("of-it", 1000, 54324));
  struct stat made{};
  ASSERT_EQ(::stat((volume_ / "of-it").c_str(), &made), 0);
  EXPECT_EQ(made.st_gid, 54324U);
  EXPECT_TRUE(writes("of-it", 2000, *group_));
}

TEST(VolumeFolderOfAnOrdinaryServer, IsAFolder) {
  const TestFolder folder;
  const auto made = make_volume_folder(folder.path() / "a/b", std::nullopt);
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, Sharing::kAsOne);
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "a/b"));
}

}  // namespace
}  // namespace trainyard::node
