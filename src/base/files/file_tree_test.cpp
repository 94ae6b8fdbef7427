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

  TestFolder folder_;
};

TEST_F(FileTree, TellsHowManyBytesThereAre) {
  write("from/more", std::string(3 << 20, 'x'));
  fs::create_symlink("more", folder_.path() / "from/link");
  EXPECT_EQ(bytes_in(open("from")), 3U + (3 << 20));
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
