#include "base/files/files.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace trainyard {
namespace {

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/trainyard-files-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(FilesTest, WrittenFileReadsBackWithItsModeAndLeavesNothingBeside) {
  const auto path = folder_ / "token";
  ASSERT_TRUE(write_file(path, "first", 0600));
  ASSERT_TRUE(write_file(path, std::string("second\0line", 11), 0600));
  EXPECT_EQ(*read_file(path), std::string("second\0line", 11));
  struct stat found{};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FilesTest, ErrorsNameThePathAndTheCause) {
  const auto missing = read_file(folder_ / "nowhere");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Code::kNotFound);
  EXPECT_NE(missing.error().message().find("nowhere: No such file"), std::string::npos);
}

TEST_F(FilesTest, MakesFoldersOnTheWayAndRefusesAFileInTheWay) {
  ASSERT_TRUE(make_folders(folder_ / "a/b/c", 0700));
  ASSERT_TRUE(make_folders(folder_ / "a/b/c", 0700));
  ASSERT_TRUE(write_file(folder_ / "a/file", "x", 0600));
  EXPECT_TRUE(make_folders(folder_ / "a/file", 0700).failed_with(Code::kAlreadyExists));
}

TEST_F(FilesTest, RemovesFoldersThatTheirOwnerMayNotWriteTo) {
  const bool root = ::geteuid() == 0;
  if (root) {  // which may do everything: somebody else has to try it
    constexpr uid_t kNobody = 65534;
    ASSERT_EQ(::chown(folder_.c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  ASSERT_TRUE(make_folders(folder_ / "a/shut/deep", 0700));
  ASSERT_TRUE(write_file(folder_ / "a/shut/file", "x", 0400));
  std::filesystem::create_symlink("/nowhere", folder_ / "a/link");
  ::chmod((folder_ / "a/shut/deep").c_str(), 0);
  ::chmod((folder_ / "a/shut").c_str(), 0500);
  EXPECT_TRUE(remove_folder(folder_ / "a"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
  EXPECT_TRUE(remove_folder(folder_ / "a")) << "nothing there";
  if (root) EXPECT_EQ(::seteuid(0), 0);
}

}  // namespace
}  // namespace trainyard
