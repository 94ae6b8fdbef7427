#include "cli/images/image_load.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(ArchiveKind, IsToldByTheNamesInIt) {
  EXPECT_EQ(archive_kind("abc/layer.tar\nmanifest.json\nrepositories\n"), "docker-archive");
  EXPECT_EQ(archive_kind("./oci-layout\n./index.json\nblobs/sha256/x\n"), "oci-archive");
  EXPECT_EQ(archive_kind("oci-layout\nindex.json\nmanifest.json\n"), "docker-archive")
      << "docker 25 writes both, and the names are in its own";
  EXPECT_EQ(archive_kind("etc/passwd\nbin/sh\n"), "");
  EXPECT_EQ(archive_kind(""), "");
}

TEST(ArchiveName, IsWhatTheArchiveSays) {
  EXPECT_EQ(archive_name("docker-archive", R"([{"RepoTags": ["busybox:1.35"]}])"), "busybox:1.35");
  EXPECT_EQ(archive_name("oci-archive",
                         R"({"manifests": [{"annotations":
                             {"org.opencontainers.image.ref.name": "tool:1"}}]})"),
            "tool:1");
  for (const char* bad :
       {"", "[]", "{}", "[{}]", R"([{"RepoTags": null}])", R"([{"RepoTags": [1]}])"}) {
    EXPECT_EQ(archive_name("docker-archive", bad), "") << bad;
    EXPECT_EQ(archive_name("oci-archive", bad), "") << bad;
  }
}

TEST(ReadImageConfig, TakesWhatSaysHowToRun) {
  const auto read = read_image_config(*parse_json(R"({"config": {
      "Env": ["PATH=/bin", "HOME=/own", "EMPTY=", "none", "=x"], "Entrypoint": ["/entry"],
      "Cmd": ["sh", "-c", "echo it's"], "WorkingDir": "work", "User": "app"}})"));
  EXPECT_EQ(read.variables, (std::vector<std::string>{"PATH=/bin", "HOME=/own", "EMPTY="}));
  EXPECT_EQ(read.run,
            (contract::ImageConfig{{"/entry"}, {"sh", "-c", "echo it's"}, "/work", "app"}));
  EXPECT_EQ(describe_image_config(read.run), "/entry sh -c 'echo it'\\''s' as app in /work");
}

TEST(ReadImageConfig, TakesNothingFromNothing) {
  for (const char* text :
       {"{}", R"({"config": null})", R"({"config": {"Cmd": null, "User": ""}})"}) {
    const auto read = read_image_config(*parse_json(text));
    EXPECT_TRUE(read.variables.empty()) << text;
    EXPECT_EQ(read.run, contract::ImageConfig()) << text;
    EXPECT_EQ(describe_image_config(read.run), "") << text;
  }
}

TEST(FolderName, LeadsNowhereElse) {
  EXPECT_EQ(folder_name("t9kpublic/pytorch:1.13"), "t9kpublic-pytorch-1.13");
  EXPECT_EQ(folder_name("../../etc"), "-.-..-etc");
  EXPECT_EQ(folder_name(std::string(500, 'x')).size(), 100U);
}

}  // namespace
}  // namespace trainyard::cli
