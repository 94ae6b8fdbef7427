#include "base/files/file_tree.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

class FileTree : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folders(folder_.path() / "from/deep", 0755));
    ASSERT_TRUE(make_folders(folder_.path() / "to", 0755));
    write("from/deep/file", "one");
    write("outside", "untouched");
  }
  void write(const std::string& path, const std::string& content) const {
    ASSERT_TRUE(write_file_unsynced(folder_.path() / path, content, 0644));
  }
  std::string read(const std::string& path) const {
    return read_file(folder_.path() / path).value_or("(none)");
  }
  UniqueFd open(const std::string& path) const {
    return UniqueFd(::open((folder_.path() / path).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }
  Result<> copied(const std::string& source, const std::string& name) const {
    return copy_tree(open(source), open("to").get(), name);
  }

  TestFolder folder_;
};

TEST_F(FileTree, CopiesAllThatIsInAFolder) {
  fs::create_symlink("deep", folder_.path() / "from/link");
  fs::permissions(folder_.path() / "from/deep", fs::perms(0555));
  ASSERT_TRUE(copied("from", "new"));
  EXPECT_EQ(read("to/new/deep/file"), "one");
  EXPECT_EQ(fs::read_symlink(folder_.path() / "to/new/link"), "deep");
  EXPECT_EQ(fs::status(folder_.path() / "to/new/deep").permissions(), fs::perms(0555));
}

TEST_F(FileTree, TellsHowManyBytesThereAreAndHowManyWereCopied) {
  write("from/more", std::string(3 << 20, 'x'));
  fs::create_symlink("more", folder_.path() / "from/link");
  const UniqueFd source = open("from");
  EXPECT_EQ(bytes_in(source), 3U + (3 << 20));
  std::uint64_t told = 0;
  ASSERT_TRUE(
      copy_tree(source, open("to").get(), "new", [&](std::uint64_t bytes) { told += bytes; }));
  EXPECT_EQ(told, 3U + (3 << 20));
}

TEST_F(FileTree, ReplacesFilesAndMergesFolders) {
  ASSERT_TRUE(make_folders(folder_.path() / "to/new/deep", 0755));
  write("to/new/deep/file", "old");
  write("to/new/deep/mine", "kept");
  ASSERT_TRUE(copied("from", "new"));
  EXPECT_EQ(read("to/new/deep/file"), "one");
  EXPECT_EQ(read("to/new/deep/mine"), "kept");
}

TEST_F(FileTree, ReplacesALinkInsteadOfWritingThroughIt) {
  ASSERT_TRUE(make_folders(folder_.path() / "to/new/deep", 0755));
  fs::create_symlink("../../../outside", folder_.path() / "to/new/deep/file");
  ASSERT_TRUE(copied("from", "new"));
  EXPECT_EQ(read("outside"), "untouched");
  EXPECT_EQ(read("to/new/deep/file"), "one");
}

TEST_F(FileTree, EntersNoLinkToAFolder) {
  ASSERT_TRUE(make_folders(folder_.path() / "elsewhere", 0755));
  fs::create_symlink("../elsewhere", folder_.path() / "to/new");
  EXPECT_FALSE(copied("from", "new"));
  EXPECT_TRUE(fs::is_empty(folder_.path() / "elsewhere"));
}

TEST_F(FileTree, RefusesWhatIsNoFile) {
  ASSERT_EQ(::mkfifo((folder_.path() / "from/pipe").c_str(), 0600), 0);
  EXPECT_TRUE(copied("from", "new").failed_with(Code::kInvalid));
}

TEST_F(FileTree, CopiesNoFolderIntoItself) {
  EXPECT_TRUE(copy_tree(open("from"), open("from/deep").get(), "x").failed_with(Code::kInvalid));
  EXPECT_TRUE(copy_tree(open("from"), open("from").get(), "x").failed_with(Code::kInvalid));
  EXPECT_FALSE(fs::exists(folder_.path() / "from/x"));
}

TEST_F(FileTree, RemovesLinksNotWhatTheyLeadTo) {
  fs::create_symlink("../outside", folder_.path() / "to/file");
  fs::create_directory_symlink("../from", folder_.path() / "to/folder");
  ASSERT_TRUE(remove_tree(open(".").get(), "to"));
  EXPECT_FALSE(fs::exists(folder_.path() / "to"));
  EXPECT_EQ(read("outside"), "untouched");
  EXPECT_EQ(read("from/deep/file"), "one");
}

}  // namespace
}  // namespace trainyard
