#include "cli/data/copy_files.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

/// Both sides are folders of this machine: what differs of a volume is behind VolumeFiles.
class CopyFiles : public testing::Test {
 protected:
  CopyFiles() {
    EXPECT_TRUE(make_folders(folder_.path() / "from/deep", 0755));
    EXPECT_TRUE(make_folders(folder_.path() / "to", 0755));
    put("from/deep/file", "one");
  }
  void put(const std::string& path, const std::string& content) const {
    ASSERT_TRUE(write_file_unsynced(folder_.path() / path, content, 0644));
  }
  std::string read(const std::string& path) const {
    return read_file(folder_.path() / path).value_or("(none)");
  }
  std::unique_ptr<CopySide> side(const std::string& path) const {
    return local_side(*SharedFolder::open(folder_.path() / path));
  }
  Result<> copied(const std::string& source, const std::string& target) {
    const auto from = side("from");
    auto items = loop_.run(list_copy(*from, source));
    if (!items) return items.error();
    planned_ = bytes_of(*items);
    return loop_.run(copy_items(*from, source, *std::move(items), *side("to"), target,
                                [this](std::uint64_t bytes) { told_ += bytes; }));
  }

  TestFolder folder_;
  TestLoop loop_;
  std::uint64_t planned_ = 0;
  std::uint64_t told_ = 0;
};

TEST_F(CopyFiles, CopiesAllThatIsInAFolder) {
  fs::create_symlink("deep", folder_.path() / "from/link");
  put("from/run.sh", std::string(3 << 20, 'x'));
  fs::permissions(folder_.path() / "from/run.sh", fs::perms(0750));
  const auto done = copied("", "new");
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(read("to/new/deep/file"), "one");
  EXPECT_EQ(fs::read_symlink(folder_.path() / "to/new/link"), "deep");
  EXPECT_EQ(fs::status(folder_.path() / "to/new/run.sh").permissions(), fs::perms(0750));
  EXPECT_EQ(told_, 3U + (3 << 20));
  EXPECT_EQ(planned_, told_);
}

TEST_F(CopyFiles, ReplacesFilesAndMergesFolders) {
  ASSERT_TRUE(copied("deep", "deep"));
  put("to/deep/other", "stays");
  put("from/deep/file", "two");
  ASSERT_TRUE(copied("deep", "deep"));
  EXPECT_EQ(read("to/deep/file"), "two");
  EXPECT_EQ(read("to/deep/other"), "stays");
  EXPECT_TRUE(copied("deep", "deep/file").failed_with(Code::kAlreadyExists)) << "a file, no folder";
}

TEST_F(CopyFiles, ReplacesALinkInsteadOfWritingThroughIt) {
  put("outside", "untouched");
  fs::create_symlink("../outside", folder_.path() / "to/file");
  const auto done = copied("deep/file", "file");
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(read("to/file"), "one");
  EXPECT_EQ(read("outside"), "untouched");
}

TEST_F(CopyFiles, WritesThroughNoLinkThatLeadsOut) {
  ASSERT_TRUE(make_folders(folder_.path() / "outside", 0755));
  fs::create_symlink("../outside", folder_.path() / "to/deep");
  EXPECT_FALSE(copied("deep", "deep"));
  EXPECT_TRUE(fs::is_empty(folder_.path() / "outside"));
}

TEST_F(CopyFiles, RefusesWhatIsNoFileBeforeAnythingIsMade) {
  ASSERT_EQ(::mkfifo((folder_.path() / "from/deep/pipe").c_str(), 0600), 0);
  EXPECT_TRUE(copied("", "new").failed_with(Code::kInvalid));
  EXPECT_FALSE(fs::exists(folder_.path() / "to/new"));
  EXPECT_TRUE(copied("nothing", "new").failed_with(Code::kNotFound));
}

TEST_F(CopyFiles, ComesToAnEndInItself) {
  const auto from = side("");
  auto items = loop_.run(list_copy(*from, "from"));
  ASSERT_TRUE(items);
  EXPECT_TRUE(
      loop_.run(copy_items(*from, "from", *std::move(items), *side(""), "from/deep/again", {})));
  EXPECT_EQ(read("from/deep/again/deep/file"), "one");
}

TEST_F(CopyFiles, MakesFoldersOnTheWay) {
  const auto to = side("to");
  ASSERT_TRUE(loop_.run(make_folders_in(*to, "a/b/c")));
  ASSERT_TRUE(loop_.run(make_folders_in(*to, "a/b/d")));
  EXPECT_TRUE(fs::is_directory(folder_.path() / "to/a/b/c"));
  EXPECT_TRUE(fs::is_directory(folder_.path() / "to/a/b/d"));
}

}  // namespace
}  // namespace trainyard::cli
