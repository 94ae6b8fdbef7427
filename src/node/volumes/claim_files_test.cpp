#include "node/volumes/claim_files.h"

#include "base/fake_clock.h"
#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "client/claim_folder.h"
#include "client/fake_api.h"
#include "node/volumes/volumes.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

class ClaimFilesTest : public testing::Test {
 protected:
  ClaimFilesTest() : clock_(loop_.executor()), api_(loop_.executor(), clock_), files_(api_) {
    put_claim("data", {});
    put_claim("kept", {{kReadOnlyAnnotation, "true"}});
  }
  void put_claim(const std::string& name, JsonObject annotations) {
    const ObjectPtr claim =
        api_.put(kVolumeClaims,
                 {{"metadata",
                   {{"namespace", "ns"}, {"name", name}, {"annotations", std::move(annotations)}}},
                  {"spec", {{"volumeName", "of-" + name}}}});
    api_.put(kVolumes, {{"metadata", {{"name", "of-" + name}}},
                        {"spec",
                         {{"claimRef", {{"uid", uid_of(claim->body())}}},
                          {"hostPath", {{"path", folder_.path().string()}}}}}});
  }
  Result<FileFacts> written(const std::string& path, const std::string& content,
                            Replacing replacing = {}) {
    auto file = loop_.run(files_.begin(data_, path, std::move(replacing), 0));
    if (!file) return file.error();
    for (const char byte : content) EXPECT_TRUE(loop_.run((*file)->write(std::string(1, byte))));
    return loop_.run((*file)->finish());
  }

  TestFolder folder_;
  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  ClaimFiles files_;
  const Key data_{"ns", "data"};
  const Key kept_{"ns", "kept"};
};

TEST_F(ClaimFilesTest, WritesAndReadsInParts) {
  ASSERT_TRUE(written("file", "hello"));
  const auto file = loop_.run(files_.open(data_, "file"));
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ((*file)->facts().bytes, 5);
  EXPECT_EQ(*loop_.run((*file)->read(1, 3)), "ell");
  EXPECT_EQ(*loop_.run((*file)->read(5, 3)), "");
}

TEST_F(ClaimFilesTest, LeavesNothingOfAFileThatWasNotFinished) {
  {
    const auto file = loop_.run(files_.begin(data_, "file", {}, 0));
    ASSERT_TRUE(file);
    ASSERT_TRUE(loop_.run((*file)->write("half")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ClaimFilesTest, SaysWhenTheDiskIsTooSmall) {
  const auto file = loop_.run(files_.begin(data_, "file", {}, INT64_MAX));
  EXPECT_TRUE(file.failed_with(Code::kTooLarge));
}

TEST_F(ClaimFilesTest, ChangesNothingOfAVolumeThatMayOnlyBeRead) {
  ASSERT_TRUE(written("file", "x"));
  EXPECT_TRUE(loop_.run(files_.begin(kept_, "new", {}, 0)).failed_with(Code::kForbidden));
  EXPECT_TRUE(loop_.run(files_.make_folder(kept_, "new")).failed_with(Code::kForbidden));
  EXPECT_TRUE(loop_.run(files_.rename(kept_, "file", "new")).failed_with(Code::kForbidden));
  EXPECT_TRUE(loop_.run(files_.remove(kept_, "file", true)).failed_with(Code::kForbidden));
  const auto view = loop_.run(files_.look(kept_, "", client::FolderRange{"", 10}));
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->read_only);
  EXPECT_EQ(view->folder.total, 1U);
}

TEST_F(ClaimFilesTest, MakesRenamesAndRemoves) {
  ASSERT_TRUE(loop_.run(files_.make_folder(data_, "in")));
  ASSERT_TRUE(written("in/file", "x"));
  ASSERT_TRUE(loop_.run(files_.rename(data_, "in", "out")));
  EXPECT_TRUE(loop_.run(files_.remove(data_, "out", false)).failed_with(Code::kConflict));
  ASSERT_TRUE(loop_.run(files_.remove(data_, "out", true)));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace trainyard::node
