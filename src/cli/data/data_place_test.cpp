#include "cli/data/data_place.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

std::string described(const Result<DataPlace>& place) {
  if (!place) return place.error().message();
  return place->volume + "|" + place->path + (place->must_be_folder ? "|folder" : "");
}

TEST(DataPlace, TellsVolumesFromFilesOfThisMachine) {
  EXPECT_EQ(described(parse_place("data:a/b")), "data|a/b");
  EXPECT_EQ(described(parse_place("data:/a//./b/")), "data|a/b|folder");
  EXPECT_EQ(described(parse_place("data:")), "data|");
  EXPECT_EQ(described(parse_place("file")), "|file");
  EXPECT_EQ(described(parse_place("folder/")), "|folder/|folder");
  EXPECT_EQ(described(parse_place("./data:a")), "|./data:a");
  EXPECT_EQ(described(parse_place("/x:y")), "|/x:y");
}

TEST(DataPlace, TakesANameAloneForAVolumeWhereOnlyVolumesCount) {
  EXPECT_EQ(described(parse_volume_place("data")), "data|");
  EXPECT_EQ(described(parse_volume_place("data:a:b")), "data|a:b");
  EXPECT_EQ(described(parse_volume_place(":a")), ":a names no volume: write NAME:PATH");
}

TEST(DataPlace, RefusesWhatLeadsOutOfTheVolume) {
  EXPECT_EQ(described(parse_place("data:../x")), "../x leads out of its volume");
  EXPECT_EQ(described(parse_volume_place("data:a/../b")), "a/../b leads out of its volume");
  EXPECT_EQ(described(parse_place("data:..a/b..")), "data|..a/b..");
  EXPECT_EQ(described(parse_place("../x")), "|../x") << "on this machine people go where they like";
}

}  // namespace
}  // namespace trainyard::cli
