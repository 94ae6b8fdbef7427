#include "node/images/image_contents.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

class ImageContentsTest : public testing::Test {
 protected:
  void program(const fs::path& path) { write(path, "#!/bin/sh\n", 0755); }
  void write(const fs::path& path, const std::string& text, int mode = 0644) {
    const fs::path file = folder_.path() / path;
    ASSERT_TRUE(make_folders(file.parent_path(), 0755));
    ASSERT_TRUE(write_file(file, text, static_cast<mode_t>(mode)));
  }
  ImageContents look(const std::string& root = "") {
    ImageEnvironment environment;
    environment.root_tree = root.empty() ? "" : at(root);
    environment.home = at("home");
    environment.variables.emplace_back("PATH", root.empty() ? at("venv/bin") : "/usr/bin");
    return look_into(environment);
  }
  std::string at(const std::string& path) const { return (folder_.path() / path).string(); }
  static bool has(const ImageContents& contents, const char* name) {
    return std::find(contents.found.begin(), contents.found.end(), name) != contents.found.end();
  }

  TestFolder folder_;
};

TEST_F(ImageContentsTest, AVenvHasItsOwnPackagesAndTheSystemsWhereItSeesThem) {
  program("venv/bin/python");
  write("venv/lib/python3.11/site-packages/tensorflow/__init__.py", "");
  program("base/bin/python3");
  write("base/lib/python3.11/site-packages/torch/__init__.py", "");
  write("home/.local/lib/python3.11/site-packages/xgboost/__init__.py", "");
  const std::string home = "home = " + at("base/bin") + "\n";
  write("venv/pyvenv.cfg", home + "include-system-site-packages = false\n");
  ImageContents contents = look();
  EXPECT_TRUE(contents.known && contents.in_venv);
  EXPECT_EQ(contents.python, at("venv/bin/python"));
  EXPECT_TRUE(has(contents, "tensorflow"));
  EXPECT_FALSE(has(contents, "torch") || has(contents, "xgboost"));
  write("venv/pyvenv.cfg", home + "include-system-site-packages = true\n");
  contents = look();
  EXPECT_TRUE(has(contents, "torch") && has(contents, "xgboost"));
}

TEST_F(ImageContentsTest, HorovodCountsWhereItWasBuiltForTorch) {
  program("venv/bin/python3");
  write("venv/lib/python3.11/site-packages/horovod/torch/mpi_ops.py", "");
  EXPECT_FALSE(has(look(), "horovod"));
  write("venv/lib/python3.11/site-packages/horovod/torch/mpi_lib_v2.cpython-311.so", "");
  EXPECT_TRUE(has(look(), "horovod"));
}

TEST_F(ImageContentsTest, OfAnImagesRootItsOwnFilesCount) {
  program("image/usr/bin/python3");
  write("image/usr/lib/python3/dist-packages/torch/__init__.py", "");
  program("image/usr/sbin/sshd");
  const ImageContents contents = look("image");
  EXPECT_EQ(contents.python, "/usr/bin/python3");
  EXPECT_TRUE(has(contents, "torch") && has(contents, "sshd"));
  EXPECT_FALSE(has(contents, "mpirun"));
}

TEST_F(ImageContentsTest, APythonFromWhoKnowsWhereTellsNothing) {
  program("venv/bin/python");  // a script that starts another, as pyenv has it
  EXPECT_FALSE(look().known);
  EXPECT_TRUE(look("nowhere").known) << "no Python has no packages";
}

}  // namespace
}  // namespace trainyard::node
