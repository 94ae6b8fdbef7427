#include "node/registration.h"

#include "base/fake_clock.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "node/node_object.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

const Resource kLeases{"coordination.k8s.io", "v1", "leases"};

class RegistrationTest : public testing::Test {
 protected:
  RegistrationTest() : clock_(loop_.executor()), api_(loop_.executor(), clock_) {
    config_.data_dir = "/";
  }

  /// As a server does when it starts.
  void present(const char* nodes) {
    config_.nodes = *read_nodes(NodeFlags{nodes, ""});
    Registration registration(api_, clock_, config_);
    ASSERT_TRUE(loop_.run(registration.remove_former()));
    ASSERT_TRUE(loop_.run(registration.register_nodes()));
  }
  Json node(const std::string& name) { return api_.find(kNodes, Key{"", name})->body(); }
  std::string renewed(const std::string& name) {
    const ObjectPtr lease = api_.find(kLeases, Key{"kube-node-lease", name});
    return std::string(string_at(lease->body(), "spec.renewTime"));
  }

  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  NodeConfig config_;
};

TEST_F(RegistrationTest, PresentsEachNodeWithItsLease) {
  present("2*gpu=1,zone=a");
  ASSERT_EQ(api_.all(kNodes).size(), 2U);
  EXPECT_EQ(label_of(node("node-1"), "zone"), "a");
  EXPECT_EQ(object_at(node("node-1"), "status.allocatable").at("nvidia.com/gpu").as_string(), "1");
  EXPECT_FALSE(renewed("node-1").empty());
}

TEST_F(RegistrationTest, ALaterStartChangesWhatTheFlagsSayAndNothingElse) {
  present("2*gpu=1,zone=a");
  ASSERT_TRUE(api_.user_patches(
      kNodes, Key{"", "node-0"},
      Json{{"metadata", {{"labels", {{"mine", "yes"}}}}}, {"spec", {{"unschedulable", true}}}}));
  present("memory=1Gi");
  ASSERT_EQ(api_.all(kNodes).size(), 1U) << "node-1 is presented no longer";
  EXPECT_EQ(label_of(node("node-0"), "zone"), "");
  EXPECT_EQ(label_of(node("node-0"), "mine"), "yes");
  EXPECT_TRUE(bool_at(node("node-0"), "spec.unschedulable"));
  EXPECT_FALSE(object_at(node("node-0"), "status.allocatable").contains("nvidia.com/gpu"));
  EXPECT_EQ(string_at(node("node-0"), "status.allocatable.memory"), "1Gi");
}

TEST_F(RegistrationTest, LeavesNodesOfOtherMachinesAlone) {
  api_.put(kNodes, Json{{"metadata",
                         {{"name", "far"}, {"annotations", {{kMachineAnnotation, "elsewhere"}}}}}});
  api_.put(kNodes, Json{{"metadata", {{"name", "by-hand"}}}});
  present("1");
  EXPECT_EQ(api_.all(kNodes).size(), 3U);
}

TEST_F(RegistrationTest, RenewsItsLeasesAndNowAndThenTheStatus) {
  present("2");
  const std::string before = renewed("node-1");
  Registration registration(api_, clock_, config_);
  TaskGroup tasks(loop_.executor());
  tasks.spawn("alive", registration.keep_alive());
  for (int i = 0; i < 310; ++i) {
    loop_.run_ready();
    clock_.advance(1s);
  }
  loop_.run_ready();
  EXPECT_GT(renewed("node-1"), before);
  const Json ready = array_at(node("node-1"), "status.conditions")[0];
  EXPECT_GT(string_at(ready, "lastHeartbeatTime"), string_at(ready, "lastTransitionTime"));
  api_.erase(kNodes, Key{"", "node-1"});
  api_.erase(kLeases, Key{"kube-node-lease", "node-1"});
  clock_.advance(10s);
  loop_.run_ready();
  EXPECT_EQ(api_.find(kNodes, Key{"", "node-1"}), nullptr) << "who deleted it meant it";
  loop_.run(tasks.stop());
}

}  // namespace
}  // namespace trainyard::node
