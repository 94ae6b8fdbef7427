#include "base/files/beneath.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <fcntl.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

class Beneath : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folders(root_ / "a", 0755));
    ASSERT_TRUE(make_folders(folder_.path() / "outside", 0755));
    fs::create_symlink("a", root_ / "inner");
    fs::create_symlink("../outside", root_ / "outer");
    fs::create_symlink("/etc", root_ / "absolute");
    open_ = UniqueFd(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(open_.valid());
  }
  Result<UniqueFd> opened(const std::string& path) const {
    return open_beneath(open_.get(), path, O_PATH);
  }
  Result<> made(const std::string& path) const { return make_folders_beneath(open_.get(), path); }

  TestFolder folder_;
  fs::path root_ = folder_.path() / "root";
  UniqueFd open_;
};

TEST_F(Beneath, FollowsLinksThatStayInside) {
  EXPECT_TRUE(opened(""));
  EXPECT_TRUE(opened("inner"));
  EXPECT_TRUE(opened("a/../inner"));
  EXPECT_TRUE(made("inner/b"));
  EXPECT_TRUE(fs::is_directory(root_ / "a/b"));
}

TEST_F(Beneath, RefusesWhatLeadsOut) {
  for (const char* path :
       {"outer", "absolute", "..", "a/../../outside", "/etc", "absolute/passwd"}) {
    EXPECT_TRUE(opened(path).failed_with(Code::kInvalid)) << path;
  }
  EXPECT_TRUE(made("outer/b").failed_with(Code::kInvalid));
  EXPECT_FALSE(fs::exists(folder_.path() / "outside/b"));
}

TEST_F(Beneath, InARootNothingLeadsOut) {
  fs::create_symlink("/a", root_ / "from-the-top");
  EXPECT_TRUE(open_in_root(open_.get(), "/a", O_PATH));
  EXPECT_TRUE(open_in_root(open_.get(), "../../from-the-top", O_PATH));
  for (const char* path : {"outer", "absolute", "../outside"}) {
    EXPECT_TRUE(open_in_root(open_.get(), path, O_PATH).failed_with(Code::kNotFound)) << path;
  }
}

TEST_F(Beneath, SaysWhatIsNotThere) {
  EXPECT_TRUE(opened("nothing").failed_with(Code::kNotFound));
}

TEST_F(Beneath, GivesNewFoldersTheModeOfTheFolder) {
  fs::permissions(root_, fs::perms(0770));
  ASSERT_TRUE(made("x/y"));
  EXPECT_EQ(fs::status(root_ / "x/y").permissions(), fs::perms(0770));
  EXPECT_TRUE(made("x/y")) << "it is there";
}

}  // namespace
}  // namespace trainyard
