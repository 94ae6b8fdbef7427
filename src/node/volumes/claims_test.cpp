#include "node/volumes/claims.h"

#include "base/fake_clock.h"
#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "node/volumes/volumes.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

class ClaimsTest : public testing::Test {
 protected:
  ClaimsTest()
      : clock_(loop_.executor()),
        api_(loop_.executor(), clock_),
        paths_(folder_.path()),
        claims_(loop_.executor(), api_, clock_, paths_) {
    put_class("local", "Retain");
    claims_.start();
    pass(1s);
  }
  ~ClaimsTest() override { loop_.run(claims_.stop()); }

  void pass(std::chrono::nanoseconds span) {
    loop_.run_ready();
    for (std::chrono::nanoseconds passed{}; passed < span; passed += 100ms) {
      clock_.advance(100ms);
      loop_.run_ready();
    }
  }
  void put_class(const char* name, const char* policy) {
    api_.put(
        kStorageClasses,
        {{"metadata", {{"name", name}}}, {"provisioner", kProvisioner}, {"reclaimPolicy", policy}});
  }
  Json put_claim(JsonObject annotations = {}, const std::string& volume = "",
                 const std::string& storage_class = "local") {
    Json claim{{"apiVersion", "v1"},
               {"kind", "PersistentVolumeClaim"},
               {"metadata",
                {{"namespace", "ns"}, {"name", "data"}, {"annotations", std::move(annotations)}}},
               {"spec",
                {{"accessModes", {"ReadWriteMany"}},
                 {"storageClassName", storage_class},
                 {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}};
    if (!volume.empty()) make_path(claim, "spec.volumeName") = volume;
    api_.put(kVolumeClaims, std::move(claim));
    pass(1s);
    return api_.find(kVolumeClaims, key_)->body();
  }
  Json volume(const std::string& name) {
    const ObjectPtr found = api_.find(kVolumes, Key{"", name});
    return found == nullptr ? Json() : found->body();
  }
  std::filesystem::path own_folder() { return paths_.claim("ns", "data"); }

  TestFolder folder_;
  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  Paths paths_;
  Claims claims_;
  const Key key_{"ns", "data"};
};

TEST_F(ClaimsTest, BindsAClaimToAFolderOfItsOwnAndShowsItAsAVolume) {
  const Json claim = put_claim();
  EXPECT_EQ(string_at(claim, "status.phase"), "Bound");
  EXPECT_EQ(string_at(claim, "spec.volumeName"), volume_name(claim));
  EXPECT_TRUE(std::filesystem::is_directory(own_folder()));
  const Json made = volume(volume_name(claim));
  EXPECT_EQ(string_at(made, "status.phase"), "Bound");
  EXPECT_EQ(string_at(made, "spec.claimRef.uid"), uid_of(claim));
  EXPECT_EQ(string_at(made, "spec.hostPath.path"), own_folder().string());
  EXPECT_EQ(string_at(made, "spec.capacity.storage"), "1Gi");
  EXPECT_EQ(string_at(made, "spec.storageClassName"), "local");
  EXPECT_EQ(claims_.find("ns", "data")->path, own_folder().string());
}

TEST_F(ClaimsTest, BindsAClaimToTheUsersFolder) {
  const std::filesystem::path theirs = folder_.path() / "theirs";
  put_claim({{kPathAnnotation, theirs.string()}, {kReadOnlyAnnotation, "true"}});
  EXPECT_FALSE(claims_.find("ns", "data"));  // it is not there yet
  ASSERT_TRUE(make_folders(theirs, 0755));
  pass(6s);
  const auto found = claims_.find("ns", "data");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->path, theirs.string());
  EXPECT_TRUE(found->read_only);
  const Json made = volume(volume_name(api_.find(kVolumeClaims, key_)->body()));
  EXPECT_EQ(string_at(made, "spec.hostPath.path"), theirs.string());
  EXPECT_EQ(string_at(made, "spec.persistentVolumeReclaimPolicy"), "Retain");
}

TEST_F(ClaimsTest, ShowsTheUsersOtherFolderWhenItIsReplaced) {
  const Json claim = put_claim();
  const std::filesystem::path theirs = folder_.path() / "theirs";
  ASSERT_TRUE(make_folders(theirs, 0755));
  ASSERT_TRUE(
      api_.user_patches(kVolumeClaims, key_,
                        {{"metadata", {{"annotations", {{kPathAnnotation, theirs.string()}}}}}}));
  pass(1s);
  EXPECT_EQ(claims_.find("ns", "data")->path, theirs.string());
  EXPECT_EQ(string_at(volume(volume_name(claim)), "spec.hostPath.path"), theirs.string());
  EXPECT_EQ(string_at(volume(volume_name(claim)), "status.phase"), "Bound");
}

TEST_F(ClaimsTest, BindsAClaimToTheVolumeThatItNames) {
  const std::filesystem::path shared = folder_.path() / "shared";
  ASSERT_TRUE(make_folders(shared, 0755));
  api_.put(
      kVolumes,
      {{"metadata", {{"name", "archive"}}},
       {"spec",
        {{"hostPath", {{"path", shared.string()}}}, {"persistentVolumeReclaimPolicy", "Delete"}}}});
  const Json claim = put_claim({}, "archive", "");
  EXPECT_EQ(string_at(claim, "status.phase"), "Bound");
  EXPECT_EQ(claims_.find("ns", "data")->path, shared.string());
  EXPECT_EQ(string_at(volume("archive"), "spec.claimRef.name"), "data");
  api_.erase(kVolumeClaims, key_);
  pass(1s);
  EXPECT_TRUE(volume("archive").is_null());
  EXPECT_TRUE(std::filesystem::exists(shared));  // it is not ours
}

TEST_F(ClaimsTest, PrefersAVolumeOfTheClaimsClassThatSomebodyMade) {
  const std::filesystem::path shared = folder_.path() / "shared";
  ASSERT_TRUE(make_folders(shared, 0755));
  const auto put_volume = [&](const char* name, const char* size, JsonObject more) {
    JsonObject spec{{"hostPath", {{"path", shared.string()}}},
                    {"storageClassName", "manual"},
                    {"accessModes", {"ReadWriteMany"}},
                    {"capacity", {{"storage", size}}}};
    for (auto& field : more) spec[field.key()] = field.value();
    api_.put(kVolumes, {{"metadata", {{"name", name}}}, {"spec", std::move(spec)}});
  };
  put_volume("small", "500Mi", {});
  put_volume("large", "5Gi", {});
  put_volume("right", "2Gi", {});
  put_volume("taken", "1Gi", {{"claimRef", {{"namespace", "ns"}, {"name", "other"}}}});
  pass(1s);
  EXPECT_EQ(string_at(volume("large"), "status.phase"), "Available");
  const Json claim = put_claim({}, "", "manual");
  EXPECT_EQ(string_at(claim, "spec.volumeName"), "right");
  EXPECT_EQ(string_at(claim, "status.capacity.storage"), "2Gi");
  EXPECT_EQ(string_at(volume("right"), "status.phase"), "Bound");
  EXPECT_EQ(claims_.find("ns", "data")->path, shared.string());
}

TEST_F(ClaimsTest, WithoutAClassWaitsForAVolume) {
  EXPECT_EQ(string_at(put_claim({}, "", ""), "status.phase"), "");
  api_.put(kVolumes, {{"metadata", {{"name", "late"}}},
                      {"spec",
                       {{"hostPath", {{"path", folder_.path().string()}}},
                        {"accessModes", {"ReadWriteMany"}},
                        {"capacity", {{"storage", "1Gi"}}}}}});
  pass(1s);
  EXPECT_EQ(string_at(api_.find(kVolumeClaims, key_)->body(), "spec.volumeName"), "late");
}

TEST_F(ClaimsTest, DoesNotTakeAVolumeThatIsReservedForAnother) {
  api_.put(kVolumes, {{"metadata", {{"name", "kept"}}},
                      {"spec",
                       {{"hostPath", {{"path", folder_.path().string()}}},
                        {"claimRef", {{"namespace", "theirs"}, {"name", "data"}}}}}});
  EXPECT_EQ(string_at(put_claim({}, "kept", ""), "status.phase"), "");
}

TEST_F(ClaimsTest, SaysWhyAVolumeCannotBeUsedHere) {
  api_.put(kVolumes, {{"metadata", {{"name", "far"}}},
                      {"spec", {{"nfs", {{"server", "nas"}, {"path", "/x"}}}}}});
  EXPECT_EQ(string_at(put_claim({}, "far", ""), "status.phase"), "");
  ASSERT_EQ(api_.all(kEvents).size(), 1U);
  EXPECT_EQ(string_at(api_.all(kEvents)[0]->body(), "reason"), "ProvisioningFailed");
}

TEST_F(ClaimsTest, GrowsWithTheClaim) {
  const Json claim = put_claim();
  ASSERT_TRUE(api_.user_patches(kVolumeClaims, key_,
                                {{"spec", {{"resources", {{"requests", {{"storage", "3Gi"}}}}}}}}));
  pass(1s);
  EXPECT_EQ(string_at(api_.find(kVolumeClaims, key_)->body(), "status.capacity.storage"), "3Gi");
  EXPECT_EQ(string_at(volume(volume_name(claim)), "spec.capacity.storage"), "3Gi");
}

TEST_F(ClaimsTest, KeepsTheFilesOfAClaimThatGoesAndReleasesItsVolume) {
  const Json claim = put_claim();
  ASSERT_TRUE(write_file(own_folder() / "weights", "x", 0644));
  api_.erase(kVolumeClaims, key_);
  pass(1s);
  EXPECT_EQ(string_at(volume(volume_name(claim)), "status.phase"), "Released");
  EXPECT_TRUE(std::filesystem::exists(own_folder() / "weights"));
}

TEST_F(ClaimsTest, RemovesTheFilesWhenThePolicySaysSoAndNoPodUsesThem) {
  put_class("scratch", "Delete");
  const Json claim = put_claim({}, "", "scratch");
  JsonArray volumes{{{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "data"}}}}};
  api_.put(kPods, {{"metadata", {{"namespace", "ns"}, {"name", "p"}}},
                   {"spec", {{"volumes", std::move(volumes)}}},
                   {"status", {{"phase", "Running"}}}});
  api_.erase(kVolumeClaims, key_);
  pass(5s);
  EXPECT_TRUE(std::filesystem::exists(own_folder()));
  api_.erase(kPods, Key{"ns", "p"});
  pass(5s);
  loop_.run_until([&] { return volume(volume_name(claim)).is_null(); });
  EXPECT_FALSE(std::filesystem::exists(own_folder()));
}

TEST_F(ClaimsTest, ASuccessorOfTheSameNameBeginsWithAnEmptyFolder) {
  put_class("scratch", "Delete");
  const Json first = put_claim({}, "", "scratch");
  ASSERT_TRUE(write_file(own_folder() / "weights", "x", 0644));
  api_.erase(kVolumeClaims, key_);
  put_claim({}, "", "scratch");
  const auto claim = [&] { return api_.find(kVolumeClaims, key_)->body(); };
  loop_.run_until([&] { return string_at(claim(), "status.phase") == "Bound"; });
  EXPECT_TRUE(volume(volume_name(first)).is_null());
  EXPECT_EQ(string_at(volume(volume_name(claim())), "status.phase"), "Bound");
  EXPECT_TRUE(std::filesystem::exists(own_folder()));
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "weights"));
}

}  // namespace
}  // namespace trainyard::node
