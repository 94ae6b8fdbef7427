#include "node/volumes/volume_sources.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace trainyard::node {
namespace {

class VolumeSources : public testing::Test {
 protected:
  Mount at(const std::string& path) const {
    Mount mount;
    mount.volume = "host";
    mount.source = folder_.path() / path;
    return mount;
  }
  std::string checked(const std::string& path, const std::string& type) const {
    Mount mount = at(path);
    mount.host_type = type;
    const auto result = check_host_path(mount);
    return result ? "" : result.error().message();
  }
  Result<> prepared(const std::string& sub_path) const {
    Mount mount = at("volume");
    mount.sub_path = sub_path;
    return prepare_source(mount, std::nullopt);
  }

  TestFolder folder_;
};

TEST_F(VolumeSources, ChecksWhatAHostPathIs) {
  ASSERT_TRUE(write_file(folder_.path() / "file", "x", 0644));
  EXPECT_EQ(checked("file", "File"), "");
  EXPECT_EQ(checked("file", ""), "");
  EXPECT_EQ(checked("file", "Directory"),
            "MountVolume.SetUp failed for volume \"host\" : hostPath type check failed: " +
                (folder_.path() / "file").string() + " is not a directory");
  EXPECT_NE(checked("nothing", "File").find("is not a file"), std::string::npos);
  EXPECT_NE(checked("file", "Socket").find("is not a socket file"), std::string::npos);
}

TEST_F(VolumeSources, MakesAHostPathThatMayBeMade) {
  EXPECT_EQ(checked("made/deep", "DirectoryOrCreate"), "");
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path() / "made/deep"));
  EXPECT_EQ(checked("made/file", "FileOrCreate"), "");
  EXPECT_TRUE(std::filesystem::is_regular_file(folder_.path() / "made/file"));
}

TEST_F(VolumeSources, MakesAHostPathOfNoTypeAsContainerRuntimesDo) {
  Mount mount = at("new/deep");
  mount.of_machine = mount.may_be_made = true;
  EXPECT_TRUE(check_host_path(mount));
  EXPECT_TRUE(std::filesystem::is_directory(mount.source));
  ASSERT_TRUE(write_file(folder_.path() / "file", "x", 0644));
  mount.source = folder_.path() / "file";
  EXPECT_TRUE(check_host_path(mount)) << "a file is mounted as a file";
  mount.source = folder_.path() / "file/below";
  const auto refused = check_host_path(mount);
  ASSERT_TRUE(refused.failed_with(Code::kUnavailable));
  EXPECT_TRUE(
      refused.error().message().starts_with("MountVolume.SetUp failed for volume \"host\" : "))
      << refused.error().message();
}

TEST_F(VolumeSources, MakesNoFolderOfAClaimThatIsGone) {
  Mount mount = at("gone");
  mount.of_machine = true;
  const auto refused = check_host_path(mount);
  ASSERT_TRUE(refused.failed_with(Code::kUnavailable));
  EXPECT_NE(refused.error().message().find("does not exist on this machine"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(mount.source));
}

TEST_F(VolumeSources, MakesTheFoldersOfASubPath) {
  ASSERT_TRUE(make_folders(folder_.path() / "volume", 0755));
  ASSERT_TRUE(prepared("a/b"));
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path() / "volume/a/b"));
  ASSERT_TRUE(prepared("a/b")) << "it is there";
}

TEST_F(VolumeSources, MakesNothingInAVolumeThatIsReadOnly) {
  ASSERT_TRUE(make_folders(folder_.path() / "volume/a", 0755));
  Mount mount = at("volume");
  mount.fixed = true;
  mount.sub_path = "a";
  EXPECT_TRUE(prepare_source(mount, std::nullopt));
  mount.sub_path = "a/b";
  EXPECT_TRUE(prepare_source(mount, std::nullopt).failed_with(Code::kUnavailable));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "volume/a/b"));
}

TEST_F(VolumeSources, GivesNewFoldersTheRightsOfTheirVolume) {
  ASSERT_TRUE(make_folders(folder_.path() / "volume", 0755));
  std::filesystem::permissions(folder_.path() / "volume", std::filesystem::perms(0770));
  ASSERT_TRUE(prepared("a"));
  EXPECT_EQ(std::filesystem::status(folder_.path() / "volume/a").permissions(),
            std::filesystem::perms(0770));
}

TEST_F(VolumeSources, FollowsLinksInTheVolumeAndNoneThatLeadOut) {
  ASSERT_TRUE(make_folders(folder_.path() / "volume/a", 0755));
  ASSERT_TRUE(make_folders(folder_.path() / "outside", 0755));
  std::filesystem::create_symlink("a", folder_.path() / "volume/inner");
  std::filesystem::create_symlink("../outside", folder_.path() / "volume/outer");
  std::filesystem::create_symlink("/etc", folder_.path() / "volume/absolute");
  EXPECT_TRUE(prepared("inner/b"));
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path() / "volume/a/b"));
  EXPECT_TRUE(prepared("outer/b").failed_with(Code::kInvalid));
  EXPECT_TRUE(prepared("absolute").failed_with(Code::kInvalid));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "outside/b"));
}

}  // namespace
}  // namespace trainyard::node
