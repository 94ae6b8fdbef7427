#include "shim/root/mount_table.h"

#include <gtest/gtest.h>

namespace trainyard::shim {
namespace {

using Paths = std::vector<std::string>;

std::string table(const Paths& points) {
  std::string text;
  int id = 20;
  for (const std::string& point : points) {
    text += std::to_string(id++) + " 1 0:5 / " + point + " rw,relatime shared:1 - ext4 /dev/x rw\n";
  }
  return text;
}

TEST(MountTable, ChoosesOnlyMountsThatLieInNoOther) {
  EXPECT_EQ(top_level_submounts(table({"/", "/dev", "/dev/shm", "/dev/pts", "/devices"}), {}),
            (Paths{"/dev", "/devices"}));
}

TEST(MountTable, ChoosesACoveringMountThatComesLater) {
  EXPECT_EQ(top_level_submounts(table({"/a/b", "/a"}), {}), (Paths{"/a"}));
}

TEST(MountTable, ChoosesStackedMountsOnce) {
  EXPECT_EQ(top_level_submounts(table({"/run", "/run"}), {}), (Paths{"/run"}));
}

TEST(MountTable, LeavesOutWhatIsHidden) {
  EXPECT_EQ(top_level_submounts(table({"/proc", "/proc/sys/fs", "/data/pods/x", "/data2", "/sys"}),
                                {"/proc", "/data/"}),
            (Paths{"/data2", "/sys"}));
}

TEST(MountTable, LeavesOutMemoryThatPodsShare) {
  const std::string memory =
      "40 20 0:50 / /other/pods/u/volumes/shm rw,nosuid,nodev - tmpfs trainyard rw,size=64k\n";
  EXPECT_EQ(top_level_submounts(table({"/", "/data2"}) + memory, {}), (Paths{"/data2"}));
}

TEST(MountTable, ReadsEscapedNames) {
  EXPECT_EQ(top_level_submounts(table({"/my\\040disk", "/back\\134slash", "/odd\\04"}), {}),
            (Paths{"/my disk", "/back\\slash", "/odd\\04"}));
}

TEST(MountTable, SurvivesShortLines) {
  EXPECT_EQ(top_level_submounts("\n1 2\n1 2 3 4 /x", {}), (Paths{"/x"}));
}

TEST(MountTable, ComparesWholeComponents) {
  EXPECT_TRUE(is_at_or_below("/a/b", "/a"));
  EXPECT_TRUE(is_at_or_below("/a", "/a"));
  EXPECT_TRUE(is_at_or_below("/a", "/"));
  EXPECT_FALSE(is_at_or_below("/ab", "/a"));
}

/// Of one file system, unless the line says otherwise.
std::string mounted(const std::string& root, const std::string& point,
                    const std::string& device = "254:0") {
  return "30 1 " + device + " " + root + " " + point + " rw,relatime shared:1 - ext4 /dev/x rw\n";
}

Paths paths_of(const std::vector<Place>& places) {
  Paths paths;
  for (const Place& place : places) paths.push_back(place.path + " = " + place.shows);
  return paths;
}

TEST(OtherPlaces, AreWhereAFolderAboveIsMountedToo) {
  const std::string table = mounted("/", "/") + mounted("/root", "/mnt/root") +
                            mounted("/", "/mnt/disk") + mounted("/other", "/mnt/other") +
                            mounted("/root", "/mnt/foreign", "8:1");
  EXPECT_EQ(paths_of(other_places(table, "/root/.trainyard")),
            (Paths{"/mnt/root/.trainyard = /root/.trainyard",
                   "/mnt/disk/root/.trainyard = /root/.trainyard"}));
}

TEST(OtherPlaces, AreWhereAPartIsMounted) {
  const std::string table = mounted("/", "/") + mounted("/root/.trainyard/pki", "/keys") +
                            mounted("/root/.trainyard", "/all") +
                            mounted("/root/.trainyard/pods", "/root/.trainyard/again");
  EXPECT_EQ(paths_of(other_places(table, "/root/.trainyard")),
            (Paths{"/keys = /root/.trainyard/pki", "/all = /root/.trainyard"}));
}

TEST(OtherPlaces, AreFoundFromTheMountThatTheFolderIsIn) {
  const std::string table =
      mounted("/", "/") + mounted("/vol", "/srv/my\\040disk", "8:1") + mounted("/", "/copy", "8:1");
  EXPECT_EQ(paths_of(other_places(table, "/srv/my disk/data")),
            (Paths{"/copy/vol/data = /srv/my disk/data"}));
  EXPECT_TRUE(other_places("", "/data").empty());
}

}  // namespace
}  // namespace trainyard::shim
