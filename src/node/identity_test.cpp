#include "node/identity.h"

#include "object/yaml.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

const PodFacts kFacts{"train", "ns", "u-1", "", ""};

Result<Identity> identity(const std::string& pod_context, const std::string& container_context,
                          std::int64_t server = 0) {
  const Json pod = *parse_json_or_yaml("spec: {securityContext: " + pod_context + "}");
  const Json container = *parse_json_or_yaml("name: main\nsecurityContext: " + container_context);
  return make_identity(pod, container, kFacts, server);
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

}  // namespace
}  // namespace trainyard::node
