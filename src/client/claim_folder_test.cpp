#include "client/claim_folder.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "client/fake_api.h"

#include <gtest/gtest.h>

namespace trainyard::client {
namespace {

const Resource kVolumes{"", "v1", "persistentvolumes"};

class ClaimFolderTest : public testing::Test {
 protected:
  ClaimFolderTest() : clock_(loop_.executor()), api_(loop_.executor(), clock_) {}
  std::string put_claim(const std::string& volume, JsonObject annotations = {}) {
    Json claim{{"metadata",
                {{"namespace", "ns"}, {"name", "data"}, {"annotations", std::move(annotations)}}},
               {"spec", {{"volumeName", volume}}}};
    return std::string(uid_of(api_.put(kVolumeClaims, std::move(claim))->body()));
  }
  void put_volume(const std::string& claim_uid, Json source) {
    JsonObject spec{{"claimRef", {{"uid", claim_uid}}}};
    for (const auto& field : source.as_object()) spec[field.key()] = field.value();
    api_.put(kVolumes, {{"metadata", {{"name", "pv"}}}, {"spec", std::move(spec)}});
  }
  Result<ClaimFolder> found() { return loop_.run(find_claim_folder(api_, Key{"ns", "data"})); }

  TestLoop loop_;
  FakeClock clock_;
  FakeApi api_;
};

TEST_F(ClaimFolderTest, IsTheFolderOfTheVolumeThatIsBoundToIt) {
  put_volume(put_claim("pv"), {{"hostPath", {{"path", "/srv/data"}}}});
  ASSERT_TRUE(found()) << found().error().message();
  EXPECT_EQ(found()->path, "/srv/data");
  EXPECT_FALSE(found()->read_only);
}

TEST_F(ClaimFolderTest, MayOnlyBeReadWhereTheClaimSaysSo) {
  put_volume(put_claim("pv", {{kReadOnlyAnnotation, "true"}}),
             {{"local", {{"path", "/srv/data"}}}});
  ASSERT_TRUE(found());
  EXPECT_TRUE(found()->read_only);
}

TEST_F(ClaimFolderTest, IsNotThatOfAVolumeOfAnotherClaim) {
  put_claim("pv");
  put_volume("somebody-else", {{"hostPath", {{"path", "/srv/data"}}}});
  EXPECT_TRUE(found().failed_with(Code::kUnavailable));
}

TEST_F(ClaimFolderTest, SaysWhatIsMissing) {
  EXPECT_TRUE(found().failed_with(Code::kNotFound));
  const std::string uid = put_claim("");
  EXPECT_TRUE(found().failed_with(Code::kUnavailable));
  put_volume(put_claim("pv"), {{"nfs", {{"path", "/srv/data"}}}});
  EXPECT_TRUE(found().failed_with(Code::kUnsupported));
}

}  // namespace
}  // namespace trainyard::client
