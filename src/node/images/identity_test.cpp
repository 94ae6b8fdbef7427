#include "node/images/identity.h"

#include "node/namespace_groups.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

const PodFacts kFacts{"train", "ns", "u-1", "", ""};

Result<Identity> identity(const std::string& pod_context, const std::string& container_context,
                          std::int64_t server = 0,
                          const std::optional<ImageUsers>& image = std::nullopt) {
  const Json pod = *parse_json_or_yaml("spec: {securityContext: " + pod_context + "}");
  const Json container = *parse_json_or_yaml("name: main\nsecurityContext: " + container_context);
  return make_identity(pod, container, kFacts, server, image);
}

TEST(Identity, IsTheServersUnlessSomethingIsSaid) {
  const auto made = identity("{}", "{}");
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->uid || made->gid || made->home);
  EXPECT_TRUE(made->groups.empty());
}

TEST(Identity, TheContainersWordCountsMoreThanThePods) {
  const auto made = identity("{runAsUser: 1000, runAsGroup: 2000}", "{runAsUser: 54321}");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->uid, 54321);
  EXPECT_EQ(made->gid, 2000);
  EXPECT_EQ(made->home, "/") << "a user that this machine does not know";
}

TEST(Identity, AnUnknownUserIsInTheGroupOfRoot) {
  const auto made = identity("{}", "{runAsUser: 54321}");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->gid, 0);
}

TEST(Identity, ThePodsGroupIsOneOfTheContainers) {
  const auto made = identity("{supplementalGroups: [5, 6], fsGroup: 7}", "{}");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->groups, (std::vector<std::int64_t>{5, 6, 7}));
  EXPECT_EQ(made->fs_group, 7);
}

TEST(Identity, HasTheGroupOfItsNamespaceAndNoOthers) {
  const Json pod = *parse_json_or_yaml("spec: {securityContext: {supplementalGroups: [5]}}");
  const Json container = *parse_json_or_yaml("name: main");
  const std::int64_t own = kFirstNamespaceGroup + 3;
  const auto made = make_identity(pod, container, kFacts, 0, std::nullopt, own);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->groups, (std::vector<std::int64_t>{5, own}));
  for (const char* where : {"supplementalGroups: [1879048195]", "fsGroup: 1879048195",
                            "runAsGroup: 1879048195, runAsUser: 5"}) {
    const auto refused = identity(fmt::format("{{{}}}", where), "{}");
    ASSERT_TRUE(refused.failed_with(Code::kInvalid)) << where;
    EXPECT_NE(refused.error().message().find("1879048195 cannot be asked for"), std::string::npos);
  }
}

TEST(Identity, WhoMustNotBeRootIsToldInKubeletsWords) {
  const auto as_server = identity("{runAsNonRoot: true}", "{}", 0);
  ASSERT_TRUE(as_server.failed_with(Code::kInvalid));
  EXPECT_EQ(as_server.error().message(),
            "container has runAsNonRoot and image will run as root (pod: \"train_ns(u-1)\", "
            "container: main)");
  const auto by_number = identity("{}", "{runAsNonRoot: true, runAsUser: 0}", 1000);
  ASSERT_TRUE(by_number.failed_with(Code::kInvalid));
  EXPECT_EQ(
      by_number.error().message(),
      "container's runAsUser breaks non-root policy (pod: \"train_ns(u-1)\", container: main)");
  EXPECT_TRUE(identity("{runAsNonRoot: true}", "{}", 1000));
  EXPECT_TRUE(identity("{runAsNonRoot: true, runAsUser: 0}", "{runAsUser: 5}", 0));
  EXPECT_TRUE(identity("{runAsNonRoot: true}", "{runAsNonRoot: false}", 0));
}

ImageUsers image_of(const std::string& user) {
  return {user, "root:x:0:0::/root:\napp:x:1000:1001::/app:\nweb:x:2000:2001::/web:\n",
          "video:x:44:app\n"};
}

TEST(Identity, AnImagesUserCountsWhereThePodSaysNothing) {
  const auto made = identity("{fsGroup: 7}", "{}", 0, image_of("app"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->uid, 1000);
  EXPECT_EQ(made->gid, 1001);
  EXPECT_EQ(made->groups, (std::vector<std::int64_t>{44, 7}));
  EXPECT_EQ(made->home, "/app");
  const auto grouped = identity("{runAsGroup: 5}", "{}", 0, image_of("app"));
  ASSERT_TRUE(grouped);
  EXPECT_EQ(grouped->uid, 1000);
  EXPECT_EQ(grouped->gid, 5);
  const auto nobody = identity("{}", "{}", 0, image_of(""));
  ASSERT_TRUE(nobody);
  EXPECT_FALSE(nobody->uid || nobody->gid || nobody->home);
}

TEST(Identity, ThePodsUserIsLookedUpInTheImage) {
  const auto made = identity("{runAsUser: 2000}", "{}", 0, image_of("gone"));
  ASSERT_TRUE(made) << "what the image wants does not matter";
  EXPECT_EQ(made->uid, 2000);
  EXPECT_EQ(made->gid, 2001);
  EXPECT_EQ(made->home, "/web");
}

TEST(Identity, AnImagesUserThatItDoesNotKnowIsAnError) {
  EXPECT_TRUE(identity("{}", "{}", 0, image_of("gone")).failed_with(Code::kUnavailable));
}

TEST(Identity, WhoMustNotBeRootIsJudgedByTheImagesUser) {
  EXPECT_TRUE(identity("{runAsNonRoot: true}", "{}", 0, image_of("app")));
  const auto root = identity("{runAsNonRoot: true}", "{}", 0, image_of("root"));
  ASSERT_TRUE(root.failed_with(Code::kInvalid));
  EXPECT_NE(root.error().message().find("image will run as root"), std::string::npos);
}

TEST(Identity, AnOrdinaryServerIsTheRootOfItsImages) {
  const auto root = identity("{}", "{}", 1000, image_of("root"));
  ASSERT_TRUE(root);
  EXPECT_FALSE(root->uid || root->gid || root->home);
  const auto itself = identity("{}", "{}", 1000, image_of("app"));
  ASSERT_TRUE(itself);
  EXPECT_EQ(itself->uid, 1000);
  EXPECT_FALSE(itself->gid) << "it cannot take another";
  EXPECT_TRUE(itself->groups.empty());
  EXPECT_EQ(itself->home, "/app");
  const auto other = identity("{}", "{}", 1000, image_of("web"));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->uid, 2000) << "as runAsUser says it: the shim refuses it, and says why";
}

}  // namespace
}  // namespace trainyard::node
