#include "base/files/folder_entries.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace trainyard {
namespace {

template <class Entries>
std::set<std::string> names_of(const Entries& entries) {
  std::set<std::string> names;
  for (const auto& entry : entries) names.insert(entry.path().filename());
  return names;
}

TEST(FolderEntries, AreWhatStandsInAFolder) {
  const TestFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "a", "", 0600));
  ASSERT_TRUE(make_folders(folder.path() / "b", 0700));
  ASSERT_TRUE(write_file(folder.path() / "b" / "c", "", 0600));
  EXPECT_EQ(names_of(FolderEntries(folder.path())), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(names_of(TreeEntries(folder.path())), (std::set<std::string>{"a", "b", "c"}));
}

TEST(FolderEntries, AreNoneWhereThereIsNoFolder) {
  const TestFolder folder;
  const FolderEntries missing(folder.path() / "missing");
  EXPECT_TRUE(names_of(missing).empty());
  EXPECT_EQ(missing.failed(), std::errc::no_such_file_or_directory);
  ASSERT_TRUE(write_file(folder.path() / "file", "", 0600));
  EXPECT_TRUE(names_of(TreeEntries(folder.path() / "file")).empty());
}

TEST(FolderEntries, EndWhereTheFolderGoesMeanwhile) {
  const TestFolder folder;
  for (int i = 0; i < 3; ++i) {
    const std::filesystem::path sub = folder.path() / "top" / std::to_string(i);
    ASSERT_TRUE(make_folders(sub, 0700));
    ASSERT_TRUE(write_file(sub / "file", "", 0600));
  }
  std::size_t seen = 0;
  for (const auto& entry : TreeEntries(folder.path() / "top")) {
    (void)entry;
    if (seen++ == 0) ASSERT_TRUE(remove_folder(folder.path() / "top"));
  }
  EXPECT_GE(seen, 1U);
}

}  // namespace
}  // namespace trainyard
