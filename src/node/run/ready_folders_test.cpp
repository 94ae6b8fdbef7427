#include "node/run/ready_folders.h"

#include "base/fake_clock.h"
#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "node/volumes/volume_files.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class ReadyFoldersTest : public testing::Test {
 protected:
  ReadyFoldersTest() {
    EXPECT_TRUE(make_folders(paths_.pods(), 0755));
    ready_.start();
  }
  ~ReadyFoldersTest() override { loop_.run(ready_.stop()); }
  void pass(std::chrono::nanoseconds span) {
    for (int i = 0; i < 8; ++i) {
      clock_.advance(span / 8);
      loop_.run_ready();
    }
  }

  TestFolder folder_;
  TestLoop loop_;
  FakeClock clock_{loop_.executor()};
  Paths paths_{folder_.path()};
  ReadyFolders ready_{loop_.executor(), clock_, paths_};
};

TEST_F(ReadyFoldersTest, GivesOneThatHasWhatEveryPodHas) {
  pass(1s);
  ASSERT_EQ(ready_.size(), 4U);
  ASSERT_TRUE(ready_.make("u"));
  EXPECT_EQ(ready_.size(), 3U);
  EXPECT_TRUE(fs::is_empty(paths_.hosts("u")));
  EXPECT_TRUE(fs::is_empty(paths_.identity("u")));
  EXPECT_TRUE(fs::is_directory(paths_.containers("u")));
  for (const std::string& name : account_files()) {
    EXPECT_TRUE(fs::is_symlink(paths_.pod_volume("u", kAccountVolume) / name)) << name;
  }
}

TEST_F(ReadyFoldersTest, MakesNewOnesOnlyWhenAllIsCalm) {
  pass(1s);
  for (const char* uid : {"a", "b", "c", "d", "e"}) ASSERT_TRUE(ready_.make(uid)) << uid;
  EXPECT_TRUE(fs::is_directory(paths_.pod("e"))) << "made on the spot";
  pass(4ms);
  EXPECT_EQ(ready_.size(), 0U);
  pass(100ms);
  EXPECT_EQ(ready_.size(), 4U);
}

TEST_F(ReadyFoldersTest, LeavesAFolderThatIsThere) {
  pass(1s);
  ASSERT_TRUE(make_folders(paths_.containers("u") / "main", 0755));
  ASSERT_TRUE(ready_.make("u"));
  EXPECT_TRUE(fs::exists(paths_.containers("u") / "main"));
  EXPECT_EQ(ready_.size(), 4U);
}

TEST_F(ReadyFoldersTest, LeavesNothingBehind) {
  pass(1s);
  loop_.run(ready_.stop());
  EXPECT_FALSE(fs::exists(paths_.ready_pods()));
}

}  // namespace
}  // namespace trainyard::node
