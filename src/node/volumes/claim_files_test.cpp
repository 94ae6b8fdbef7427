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
    parts_.clear();
    for (const char byte : content) parts_.emplace_back(1, byte);
    return loop_.run(files_.write(data_, path, std::move(replacing), 0, next_part()));
  }
  client::NextPart next_part() {
    return [this] { return take_part(); };
  }
  /// An error in the place of a part that is "!".
  awaitable<Result<std::string>> take_part() {
    if (parts_.empty()) co_return std::string();
    std::string part = std::move(parts_.front());
    parts_.erase(parts_.begin());
    if (part == "!") co_return Error(Code::kCancelled, "the sender is gone");
    co_return part;
  }

  std::vector<std::string> parts_;
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
  parts_ = {"half", "!"};
  EXPECT_TRUE(
      loop_.run(files_.write(data_, "file", {}, 0, next_part())).failed_with(Code::kCancelled));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ClaimFilesTest, SaysWhenTheDiskIsTooSmall) {
  const auto file = loop_.run(files_.write(data_, "file", {}, INT64_MAX, next_part()));
  EXPECT_TRUE(file.failed_with(Code::kTooLarge));
}

TEST_F(ClaimFilesTest, ChangesNothingOfAVolumeThatMayOnlyBeRead) {
  ASSERT_TRUE(written("file", "x"));
  EXPECT_TRUE(
      loop_.run(files_.write(kept_, "new", {}, 0, next_part())).failed_with(Code::kForbidden));
  EXPECT_TRUE(loop_.run(files_.make_link(kept_, "new", "x", true)).failed_with(Code::kForbidden));
  EXPECT_TRUE(loop_.run(files_.make_folder(kept_, "new")).failed_with(Code::kForbidden));
  EXPECT_TRUE(loop_.run(files_.rename(kept_, "file", "new")).failed_with(Code::kForbidden));
  EXPECT_TRUE(loop_.run(files_.remove(kept_, "file", true)).failed_with(Code::kForbidden));
  const auto view = loop_.run(files_.look(kept_, "", client::FolderRange{"", 10}));
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->read_only);
  EXPECT_EQ(view->folder.total, 1U);
}

TEST_F(ClaimFilesTest, WritesFilesOfAModeAndLinks) {
  ASSERT_TRUE(written("run.sh", "x", Replacing{true, "", 0755}));
  ASSERT_TRUE(loop_.run(files_.make_link(data_, "link", "run.sh", false)));
  EXPECT_TRUE(
      loop_.run(files_.make_link(data_, "link", "other", false)).failed_with(Code::kAlreadyExists));
  ASSERT_TRUE(loop_.run(files_.make_link(data_, "link", "other", true)));
  const auto view = loop_.run(files_.look(data_, "", client::FolderRange{"", 10}));
  ASSERT_TRUE(view);
  ASSERT_EQ(view->folder.entries.size(), 2U);
  EXPECT_EQ(view->folder.entries[0].target, "other");
  EXPECT_EQ(view->folder.entries[1].mode, 0755U);
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
