#include "contract/image_map.h"

#include <gtest/gtest.h>

namespace trainyard::contract {
namespace {

ImageMap map_of(const std::string& pattern, const std::string& folder) {
  ImageMap map;
  map.pattern = pattern;
  map.kind = ImageMap::Kind::kVenv;
  map.folder = folder;
  return map;
}

std::string folder_for(const std::string& image) {
  const std::vector<ImageMap> maps{map_of("t9kpublic/*", "/all"),
                                   map_of("t9kpublic/torch-*", "/torch"),
                                   map_of("t9kpublic/torch-2:v1", "/first")};
  const auto found = find_image_map(maps, image);
  return found ? found->folder : "none";
}

TEST(ImageMap, TheLastPatternThatMatchesWins) {
  EXPECT_EQ(folder_for("t9kpublic/other:v1"), "/all");
  EXPECT_EQ(folder_for("t9kpublic/torch-1"), "/torch");
  EXPECT_EQ(folder_for("t9kpublic/torch-2:v2"), "/torch") << "* matches a colon, too";
  EXPECT_EQ(folder_for("t9kpublic/torch-2:v1"), "/first");
  EXPECT_EQ(folder_for("t9kpublic/deep/er:v1"), "/all") << "* matches a slash, too";
  EXPECT_EQ(folder_for("nginx"), "none");
}

TEST(ImageMap, MatchesTheNameWithoutItsTag) {
  EXPECT_EQ(without_tag("registry:5000/a/b:v1"), "registry:5000/a/b");
  EXPECT_EQ(without_tag("registry:5000/a"), "registry:5000/a");
  EXPECT_EQ(without_tag("a@sha256:12"), "a");
  EXPECT_EQ(without_tag("a:v1@sha256:12"), "a");
  EXPECT_TRUE(find_image_map({map_of("pytorch", "/p")}, "pytorch:2.1"));
}

TEST(ImageMap, IsReadAsItWasWritten) {
  std::vector<ImageMap> maps{map_of("a*", "/a"), map_of("b", "/b")};
  maps[0].kind = ImageMap::Kind::kConda;
  maps[0].variables = {{"K", "v=1"}};
  maps[1].kind = ImageMap::Kind::kRootfs;
  maps[1].config = {{"/entry", "-v"}, {"sh", "-c", "echo \"$A\""}, "/work", "app:staff"};
  const Json stored{{"data", write_image_maps(maps)}};
  EXPECT_EQ(read_image_maps(stored), maps);
}

TEST(ImageMap, OlderOnesSayNothingOfHowToRun) {
  const char* text = R"([{"pattern": "a", "kind": "rootfs", "folder": "/a", "env": {}}])";
  const auto maps = read_image_maps(Json{{"data", {{"maps.json", text}}}});
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(maps[0].config, ImageConfig());
  EXPECT_EQ(list_image_maps(maps), *parse_json(text)) << "and are listed as they were";
}

TEST(ImageMap, LeavesOutWhatCannotBeRead) {
  EXPECT_TRUE(read_image_maps(Json{{"data", {{"maps.json", "not json"}}}}).empty());
  EXPECT_TRUE(read_image_maps(Json{{"data", {{"maps.json", "[{\"kind\": \"odd\"}]"}}}}).empty());
  EXPECT_TRUE(read_image_maps(Json{}).empty());
}

}  // namespace
}  // namespace trainyard::contract
