#include "base/files/shared_folder.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

class SharedFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folders(root_ / "in", 0755));
    put("in/file", "one");
    ASSERT_TRUE(write_file_unsynced(outer_.path() / "outside", "untouched", 0644));
    fs::create_symlink("../outside", root_ / "escape");
    fs::create_symlink("..", root_ / "up");
    fs::create_symlink("/etc", root_ / "etc");
    fs::create_symlink("in/file", root_ / "inner");
    auto opened = SharedFolder::open(root_);
    ASSERT_TRUE(opened);
    folder_.emplace(*std::move(opened));
  }
  void put(const std::string& path, const std::string& content) const {
    ASSERT_TRUE(write_file_unsynced(root_ / path, content, 0640));
  }
  std::string read(const std::string& path) const {
    return read_file(root_ / path).value_or("(none)");
  }
  Result<FileFacts> write(const std::string& path, const std::string& content,
                          Replacing replacing = {}) const {
    TRY(const auto file, folder_->begin_file(path, std::move(replacing)));
    TRY_OK(file->write(content));
    return file->finish();
  }
  std::size_t count_in_root() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
  }

  TestFolder outer_;
  fs::path root_ = outer_.path() / "root";
  std::optional<SharedFolder> folder_;
};

TEST(CleanPath, StaysBelow) {
  EXPECT_EQ(clean_path("").value_or("?"), "");
  EXPECT_EQ(clean_path("/").value_or("?"), "");
  EXPECT_EQ(clean_path("/a//./b/").value_or("?"), "a/b");
  EXPECT_EQ(clean_path("..a/b..").value_or("?"), "..a/b..");
  EXPECT_TRUE(clean_path("a/../b").failed_with(Code::kInvalid));
  EXPECT_TRUE(clean_path("..").failed_with(Code::kInvalid));
  EXPECT_TRUE(clean_path(std::string_view("a\0b", 3)).failed_with(Code::kBadRequest));
}

TEST_F(SharedFolderTest, ListsByNameInParts) {
  const auto all = folder_->list("", "", 100);
  ASSERT_TRUE(all);
  std::vector<std::string> names;
  for (const FileFacts& entry : all->entries) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"escape", "etc", "in", "inner", "up"}));
  EXPECT_EQ(all->entries[1].type, FileType::kLink);
  EXPECT_EQ(all->entries[1].target, "/etc");
  const auto part = folder_->list("", "etc", 1);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->total, 5U);
  ASSERT_EQ(part->entries.size(), 1U);
  EXPECT_EQ(part->entries[0].name, "in");
}

TEST_F(SharedFolderTest, TakesAnyNameThatLinuxTakes) {
  for (const std::string& name : {std::string("a\nb"), std::string("\xff\xfe"),
                                  std::string("\xe2\x80\xae"
                                              "gpj.exe"),
                                  std::string(255, 'x')}) {
    ASSERT_TRUE(write("in/" + name, "x")) << name;
    EXPECT_TRUE(folder_->look("in/" + name)) << name;
    EXPECT_TRUE(folder_->remove("in/" + name, false)) << name;
  }
  EXPECT_TRUE(write("in/" + std::string(256, 'x'), "x").failed_with(Code::kBadRequest));
}

TEST_F(SharedFolderTest, LeavesTheFolderByNoLink) {
  for (const char* path : {"escape", "up/outside", "etc/passwd", "up", "etc"}) {
    EXPECT_TRUE(folder_->look(path).failed_with(Code::kInvalid)) << path;
    EXPECT_TRUE(folder_->open_file(path).failed_with(Code::kInvalid)) << path;
    EXPECT_TRUE(folder_->list(path, "", 9).failed_with(Code::kInvalid)) << path;
  }
  EXPECT_TRUE(write("up/new", "x").failed_with(Code::kInvalid));
  EXPECT_TRUE(folder_->make_folder("up/new").failed_with(Code::kInvalid));
  EXPECT_TRUE(folder_->rename("in/file", "up/new").failed_with(Code::kInvalid));
  EXPECT_TRUE(folder_->rename("up/outside", "stolen").failed_with(Code::kInvalid));
  EXPECT_TRUE(folder_->remove("up/outside", true).failed_with(Code::kInvalid));
  EXPECT_EQ(read_file(outer_.path() / "outside").value_or(""), "untouched");
  EXPECT_TRUE(folder_->open_file("inner")) << "a link that stays inside is followed";
}

TEST_F(SharedFolderTest, WritesThroughNoLink) {
  EXPECT_TRUE(write("escape", "x", {true, ""}).failed_with(Code::kConflict));
  EXPECT_TRUE(write("inner", "x", {true, ""}).failed_with(Code::kConflict));
  EXPECT_EQ(read_file(outer_.path() / "outside").value_or(""), "untouched");
}

TEST_F(SharedFolderTest, ReplacesOnlyWhereItIsAllowed) {
  EXPECT_TRUE(write("in/file", "two").failed_with(Code::kAlreadyExists));
  const std::string before = folder_->look("in/file")->tag;
  ASSERT_TRUE(write("in/file", "two", {true, ""}));
  EXPECT_EQ(read("in/file"), "two");
  EXPECT_EQ(folder_->look("in/file")->mode, 0640U) << "it keeps its mode";
  EXPECT_TRUE(write("in/file", "three", {false, before}).failed_with(Code::kConflict));
  EXPECT_TRUE(write("in/file", "three", {false, folder_->look("in/file")->tag}));
  EXPECT_EQ(read("in/file"), "three");
  EXPECT_TRUE(write("gone", "x", {false, before}).failed_with(Code::kConflict));
  EXPECT_TRUE(write("in", "x", {true, ""}).failed_with(Code::kConflict));
}

TEST_F(SharedFolderTest, NoticesWhoWasFaster) {
  const auto file = folder_->begin_file("new", {});
  ASSERT_TRUE(file);
  put("new", "theirs");
  EXPECT_TRUE((*file)->finish().failed_with(Code::kAlreadyExists));
  EXPECT_EQ(read("new"), "theirs");
}

TEST_F(SharedFolderTest, LeavesNothingOfWhatWasDropped) {
  const std::size_t before = count_in_root();
  {
    const auto file = folder_->begin_file("new", {});
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write("half"));
    EXPECT_EQ(read("new"), "(none)");
  }
  EXPECT_EQ(count_in_root(), before);
}

TEST_F(SharedFolderTest, GivesWhatItMakesToTheOwnerOfTheFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give things away";
  ASSERT_EQ(::chown((root_ / "in").c_str(), 1234, 2345), 0);
  ASSERT_EQ(::chmod((root_ / "in").c_str(), 02775), 0);
  ASSERT_TRUE(write("in/new", "x"));
  ASSERT_TRUE(folder_->make_folder("in/folder"));
  const auto file = folder_->look("in/new");
  const auto made = folder_->look("in/folder");
  EXPECT_EQ(file->uid, 1234U);
  EXPECT_EQ(file->gid, 2345U);
  EXPECT_EQ(file->mode, 0664U) << "the group may write where it may";
  EXPECT_EQ(made->uid, 1234U);
  EXPECT_EQ(made->mode, 02775U);
}

TEST_F(SharedFolderTest, RenamesOverNothing) {
  put("other", "two");
  EXPECT_TRUE(folder_->rename("in/file", "other").failed_with(Code::kAlreadyExists));
  EXPECT_TRUE(folder_->rename("nothing", "x").failed_with(Code::kNotFound));
  EXPECT_TRUE(folder_->rename("in", "in/in").failed_with(Code::kBadRequest));
  ASSERT_TRUE(folder_->rename("in/file", "moved"));
  EXPECT_EQ(read("moved"), "one");
}

TEST_F(SharedFolderTest, RemovesFoldersWithAllOnlyWhenAsked) {
  EXPECT_TRUE(folder_->remove("in", false).failed_with(Code::kConflict));
  EXPECT_TRUE(folder_->remove("nothing", true).failed_with(Code::kNotFound));
  EXPECT_TRUE(folder_->remove("", true).failed_with(Code::kBadRequest));
  ASSERT_TRUE(folder_->remove("in", true));
  EXPECT_FALSE(fs::exists(root_ / "in"));
  ASSERT_TRUE(folder_->remove("escape", true));
  EXPECT_EQ(read_file(outer_.path() / "outside").value_or(""), "untouched");
}

TEST_F(SharedFolderTest, RemovesFoldersHoweverDeep) {
  const fs::path here = fs::current_path();
  fs::current_path(root_ / "in");
  for (int depth = 0; depth < 3000; ++depth) {
    fs::create_directory("d");
    fs::current_path("d");
  }
  fs::current_path(here);
  const auto removed = folder_->remove("in", true);
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(count_in_root(), 4U);
}

TEST_F(SharedFolderTest, OpensNothingButFiles) {
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(folder_->open_file("pipe").failed_with(Code::kBadRequest));
  EXPECT_TRUE(folder_->open_file("in").failed_with(Code::kBadRequest));
  EXPECT_TRUE(folder_->open_file("in/file/x").failed_with(Code::kBadRequest));
}

}  // namespace
}  // namespace trainyard
