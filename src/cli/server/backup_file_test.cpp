#include "cli/server/backup_file.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

Seal seal() {
  return Seal{std::string(64, 'a'), 1234567890123};
}

TEST(Seal, IsReadBack) {
  const std::string text = seal().text();
  EXPECT_EQ(text.size(), kSealSize);
  const auto read = parse_seal(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sha256, seal().sha256);
  EXPECT_EQ(read->bytes, seal().bytes);
  EXPECT_TRUE(parse_seal(Seal{std::string(64, '0'), UINT64_MAX}.text()));
}

TEST(Seal, IsNotMadeOfAnythingElse) {
  const std::string text = seal().text();
  EXPECT_FALSE(parse_seal(""));
  EXPECT_FALSE(parse_seal(text + " "));
  EXPECT_FALSE(parse_seal(text.substr(1)));
  EXPECT_FALSE(parse_seal(std::string(kSealSize, '\0')));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = '!';
    EXPECT_FALSE(parse_seal(changed)) << i;
  }
}

TEST(CheckManifest, TellsNewerFromForeign) {
  EXPECT_EQ(*check_manifest(R"({"format": 1, "version": "0.1.0", "dataDir": "/d"})"), "/d");
  EXPECT_TRUE(check_manifest(R"({"format": 2, "version": "9.0"})").failed_with(Code::kUnsupported));
  for (const char* bad : {"", "{}", "[]", "null", R"({"format": "1"})", R"({"format": -1})"}) {
    EXPECT_TRUE(check_manifest(bad).failed_with(Code::kInvalid)) << bad;
  }
}

TEST(Rehomed, MovesVolumesOfTheOldDataFolderAndNothingElse) {
  const auto volume = [](const char* path) {
    return Json{{"kind", "PersistentVolume"}, {"spec", {{"hostPath", {{"path", path}}}}}};
  };
  const auto moved = rehomed(volume("/old/volumes/ns/v"), "/old", "/new");
  ASSERT_TRUE(moved);
  EXPECT_EQ(string_at(*moved, "spec.hostPath.path"), "/new/volumes/ns/v");
  EXPECT_FALSE(rehomed(volume("/old/volumes/ns/v"), "/old", "/old"));
  EXPECT_FALSE(rehomed(volume("/older/volumes/ns/v"), "/old", "/new"));
  EXPECT_FALSE(rehomed(volume("/home/me/data"), "/old", "/new"));
  EXPECT_FALSE(rehomed(volume("/volumes/ns/v"), "", "/new"));
  EXPECT_FALSE(rehomed(Json{{"kind", "Pod"}}, "/old", "/new"));
}

}  // namespace
}  // namespace trainyard::cli
