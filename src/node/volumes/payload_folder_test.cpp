#include "node/volumes/payload_folder.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sys/stat.h>

namespace trainyard::node {
namespace {

class PayloadFolder : public testing::Test {
 protected:
  std::filesystem::path folder() const { return parent_.path() / "volumes" / "v"; }
  void write(const VolumeFiles& files) {
    const auto written = write_payload(folder(), files, {});
    ASSERT_TRUE(written) << written.error().message();
  }
  std::string content(const std::string& name) const {
    return read_file(folder() / name).value_or("(none)");
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      found.insert(entry.path().filename());
    }
    return found;
  }

  TestFolder parent_;
};

TEST_F(PayloadFolder, ShowsItsFilesThroughOneLink) {
  write({{"a", {"one", 0400}}, {"sub/b", {"two", 0644}}});
  EXPECT_EQ(content("a"), "one");
  EXPECT_EQ(content("sub/b"), "two");
  EXPECT_EQ(std::filesystem::read_symlink(folder() / "a"), "..data/a");
  struct stat status{};
  ASSERT_EQ(::stat((folder() / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0400U);
  ASSERT_EQ(::stat(folder().parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U) << "nobody else on the machine gets at it";
}

TEST_F(PayloadFolder, FillsWhatWasPrepared) {
  ASSERT_TRUE(prepare_payload(folder(), {"a", "b"}));
  EXPECT_FALSE(holds_payload(folder())) << "nothing is to be seen before all of it is there";
  EXPECT_EQ(content("a"), "(none)");
  write({{"a", {"one", 0400}}, {"b", {"two", 0644}}});
  EXPECT_EQ(content("a"), "one");
  EXPECT_EQ(content("b"), "two");
  struct stat status{};
  ASSERT_EQ(::stat((folder() / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0400U);
  write({{"b", {"three", 0644}}});
  EXPECT_EQ(content("b"), "three");
  EXPECT_EQ(names().count("a") + names().count("..prepared"), 0U);
}

TEST_F(PayloadFolder, FillsAgainWhatAServerThatDiedHasBegun) {
  ASSERT_TRUE(prepare_payload(folder(), {"a"}));
  ASSERT_TRUE(write_file_unsynced(folder() / "..prepared" / "a", "a longer old text", 0600));
  write({{"a", {"new", 0644}}});
  EXPECT_EQ(content("a"), "new");
}

TEST_F(PayloadFolder, ShowsOtherNamesThanWerePrepared) {
  ASSERT_TRUE(prepare_payload(folder(), {"a", "b"}));
  write({{"a", {"one", 0644}}, {"sub/c", {"two", 0644}}});
  EXPECT_EQ(content("a"), "one");
  EXPECT_EQ(content("sub/c"), "two");
  EXPECT_EQ(content("b"), "(none)");
  EXPECT_EQ(names().count("b") + names().count("..prepared"), 0U);
}

TEST_F(PayloadFolder, ReplacesAllAtOnceAndLeavesNothingOfTheOld) {
  write({{"a", {"one", 0644}}, {"b", {"two", 0644}}});
  const auto before = std::filesystem::read_symlink(folder() / "..data");
  write({{"a", {"changed", 0644}}, {"c", {"three", 0644}}});
  EXPECT_EQ(content("a"), "changed");
  EXPECT_EQ(content("c"), "three");
  const auto after = std::filesystem::read_symlink(folder() / "..data");
  EXPECT_NE(before, after);
  EXPECT_EQ(names(), (std::set<std::string>{"..data", after.string(), "a", "c"}));
}

TEST_F(PayloadFolder, WritesNothingWhenNothingHasChanged) {
  write({{"a", {"one", 0644}}});
  const auto before = std::filesystem::read_symlink(folder() / "..data");
  write({{"a", {"one", 0644}}});
  EXPECT_EQ(std::filesystem::read_symlink(folder() / "..data"), before);
  write({{"a", {"one", 0600}}});
  EXPECT_NE(std::filesystem::read_symlink(folder() / "..data"), before) << "the mode counts, too";
}

TEST_F(PayloadFolder, CleansUpAfterAServerThatDiedHalfWay) {
  write({{"a", {"one", 0644}}});
  std::filesystem::create_directories(folder() / "..half" / "x");
  std::filesystem::create_symlink("..half", folder() / "..data_tmp");
  write({{"a", {"two", 0644}}});
  EXPECT_EQ(content("a"), "two");
  EXPECT_EQ(names().size(), 3U);
}

TEST_F(PayloadFolder, MayBeEmpty) {
  write({});
  EXPECT_TRUE(std::filesystem::is_directory(folder() / "..data"));
}

TEST_F(PayloadFolder, KnowsWhetherItWasEverWritten) {
  const TestFolder other;
  EXPECT_FALSE(holds_payload(other.path() / "v"));
  ASSERT_TRUE(write_payload(other.path() / "v", VolumeFiles(), FileOwner()));
  EXPECT_TRUE(holds_payload(other.path() / "v"));
}

}  // namespace
}  // namespace trainyard::node
