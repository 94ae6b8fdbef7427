#include "node/images/image_environment.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using contract::ImageMap;

ImageEnvironment environment(const std::optional<ImageMap>& map, bool has_all = true) {
  const auto has = [=](const std::filesystem::path& program) {
    return has_all || program.filename() == "python3";
  };
  return make_image_environment("torch:2", map, "/usr/bin:/bin", has);
}

std::string value(const ImageEnvironment& made, const std::string& name) {
  std::string found = "(none)";
  for (const auto& [key, text] : made.variables) {
    if (key == name) found = text;
  }
  return found;
}

TEST(ImageEnvironment, AnUnknownImageIsTheHost) {
  const auto made = environment(std::nullopt);
  EXPECT_EQ(value(made, "PATH"), "/usr/bin:/bin");
  EXPECT_NE(made.told.find("is not on this machine"), std::string::npos);
  EXPECT_FALSE(made.needs_tools);
}

TEST(ImageEnvironment, AMapPutsItsProgramsFirst) {
  ImageMap map{"torch*", ImageMap::Kind::kVenv, "/venv", {{"OMP_NUM_THREADS", "2"}}};
  EXPECT_EQ(value(environment(map), "PATH"), "/venv/bin:/usr/bin:/bin");
  EXPECT_EQ(value(environment(map), "VIRTUAL_ENV"), "/venv");
  EXPECT_EQ(value(environment(map), "OMP_NUM_THREADS"), "2");
  map.kind = ImageMap::Kind::kConda;
  EXPECT_EQ(value(environment(map), "CONDA_PREFIX"), "/venv");
  EXPECT_EQ(value(environment(map), "VIRTUAL_ENV"), "(none)");
}

TEST(ImageEnvironment, WhatAMapLacksComesFromItsOwnPython) {
  const ImageMap map{"torch*", ImageMap::Kind::kVenv, "/venv", {}};
  const auto only_the_host_has = [](const std::filesystem::path& program) {
    return program == "/usr/bin/torchrun" || program.filename() == "python";
  };
  const auto made = make_image_environment("torch", map, "/usr/bin", only_the_host_has);
  EXPECT_TRUE(made.needs_tools);
  EXPECT_EQ(value(made, "PATH"), "/venv/bin:/opt/trainyard/bin:/usr/bin");
}

TEST(ImageEnvironment, AnotherRootHasNothingOfTheHosts) {
  const ImageMap map{"torch*", ImageMap::Kind::kRootfs, "/tree", {{"A", "1"}}};
  const auto has = [](const std::filesystem::path& program) {
    return program == "/tree/usr/bin/python" || program == "/tree/usr/local/bin/torchrun";
  };
  const auto made = make_image_environment("torch", map, "/opt/only/here", has);
  EXPECT_EQ(made.root_tree, "/tree");
  EXPECT_FALSE(made.needs_tools);
  EXPECT_EQ(value(made, "PATH"), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  EXPECT_EQ(value(made, "A"), "1");
  EXPECT_TRUE(environment(std::nullopt).root_tree.empty());
}

TEST(ImageEnvironment, WhatTheHostLacksIsFoundLast) {
  const auto made = environment(std::nullopt, false);
  EXPECT_TRUE(made.needs_tools);
  EXPECT_EQ(value(made, "PATH"), "/usr/bin:/bin:/opt/trainyard/bin");
}

}  // namespace
}  // namespace trainyard::node
