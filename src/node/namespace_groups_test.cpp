#include "node/namespace_groups.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

TEST(NamespaceGroup, IsTheSameEachTimeAndNobodyElses) {
  const std::int64_t first = choose_namespace_group("default", {});
  EXPECT_EQ(choose_namespace_group("default", {}), first);
  EXPECT_TRUE(is_namespace_group(first));
  EXPECT_NE(choose_namespace_group("default", {first}), first);
  EXPECT_NE(choose_namespace_group("other", {}), first);
  EXPECT_FALSE(is_namespace_group(1000));
  EXPECT_FALSE(is_namespace_group(kFirstNamespaceGroup + kNamespaceGroups));
}

TEST(NamespaceGroup, IsLookedForBehindTheLastOneToo) {
  std::set<std::int64_t> taken;
  for (std::int64_t i = 0; i < kNamespaceGroups; ++i) taken.insert(kFirstNamespaceGroup + i);
  taken.erase(kFirstNamespaceGroup + 7);
  EXPECT_EQ(choose_namespace_group("default", taken), kFirstNamespaceGroup + 7);
}

class KeptGroups : public testing::Test {
 protected:
  void SetUp() override {
    if (!NamespaceGroups(paths_).of("probe")) GTEST_SKIP() << "only root can give out groups";
  }
  TestFolder folder_;
  Paths paths_{folder_.path()};
};

TEST_F(KeptGroups, AreReadFromTheFoldersOfTheVolumes) {
  const std::int64_t kept = kFirstNamespaceGroup + 3;
  ASSERT_TRUE(make_folders(paths_.volumes() / "ns", 0755));
  ASSERT_EQ(::chown((paths_.volumes() / "ns").c_str(), 0, kept), 0);
  EXPECT_EQ(NamespaceGroups(paths_).of("ns"), kept) << "whatever its name would give";
  NamespaceGroups groups(paths_);
  ASSERT_TRUE(groups.keep("new"));
  struct stat status{};
  ASSERT_EQ(::stat((paths_.volumes() / "new").c_str(), &status), 0);
  EXPECT_EQ(static_cast<std::int64_t>(status.st_gid), groups.of("new"));
  EXPECT_NE(groups.of("new"), kept);
}

}  // namespace
}  // namespace trainyard::node
