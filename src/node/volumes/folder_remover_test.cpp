#include "node/volumes/folder_remover.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "node/run/container_run.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

TEST(FolderRemover, RemovesOldRunsOnItsThreadAfterWhatItWasToldBefore) {
  TestLoop loop;
  const TestFolder folder;
  for (const char* run : {"0", "1", "2", "9", "overlay"}) {
    ASSERT_TRUE(make_folders(folder.path() / run, 0700));
  }
  const std::vector<std::filesystem::path> old = old_runs(folder.path(), 9, 7);
  EXPECT_EQ(old.size(), 2U);
  FolderRemover remover;
  for (const auto& run : old) {
    EXPECT_TRUE(std::filesystem::exists(run)) << "nobody waits for it";
    remover.remove_later(run);
  }
  EXPECT_TRUE(loop.run(remover.remove(folder.path() / "overlay")));
  for (const char* gone : {"0", "1", "overlay"}) {
    EXPECT_FALSE(std::filesystem::exists(folder.path() / gone));
  }
  for (const char* kept : {"2", "9"}) EXPECT_TRUE(std::filesystem::exists(folder.path() / kept));
}

}  // namespace
}  // namespace trainyard::node
