#include "node/node_object.h"

#include "object/patch/patch.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

const WallTime kNow{std::chrono::seconds(1'772'359'200)};

Machine machine() {
  Machine made;
  made.cpus = 2;
  made.memory_bytes = 4LL << 30;
  made.disk_bytes = 100LL << 30;
  made.host = "desk";
  made.architecture = "amd64";
  return made;
}

NodeSpec spec() {
  NodeSpec made;
  made.name = "node-3";
  made.address = "127.65.0.4";
  made.labels = {{"zone", "a"}};
  made.gpus = 2;
  made.fake_gpus = true;
  return made;
}

TEST(MakeNode, HasTheLabelsThatUsersSelectBy) {
  const Json node = make_node(spec(), machine());
  EXPECT_EQ(label_of(node, "kubernetes.io/hostname"), "node-3");
  EXPECT_EQ(label_of(node, "kubernetes.io/arch"), "amd64");
  EXPECT_EQ(label_of(node, "kubernetes.io/os"), "linux");
  EXPECT_EQ(label_of(node, "zone"), "a");
  EXPECT_EQ(annotation_of(node, kFakeGpusAnnotation), "2");
}

TEST(NodeStatus, PresentsTheMachineUnlessTheFlagSaysOtherwise) {
  NodeSpec one = spec();
  Json status = node_status(one, machine(), JsonObject(), kNow);
  EXPECT_EQ(to_text(*find(status, "allocatable")),
            R"({"cpu":"2","memory":"4Gi","ephemeral-storage":"100Gi","pods":"1000",)"
            R"("nvidia.com/gpu":"2"})");
  one.cpu = *Quantity::parse(std::string_view("500m"));
  one.memory = *Quantity::parse(std::string_view("1Gi"));
  one.gpus = 0;
  status = node_status(one, machine(), status, kNow);
  EXPECT_EQ(string_at(status, "capacity.cpu"), "500m");
  EXPECT_EQ(string_at(status, "capacity.memory"), "1Gi");
  EXPECT_TRUE(object_at(status, "capacity").at("nvidia.com/gpu").is_null())
      << "in a merge patch that takes it away";
}

TEST(NodeStatus, NamesBothAddresses) {
  const Json status = node_status(spec(), machine(), JsonObject(), kNow);
  EXPECT_EQ(to_text(*find(status, "addresses")), R"([{"type":"InternalIP","address":"127.65.0.4"},)"
                                                 R"({"type":"Hostname","address":"node-3"}])");
}

TEST(NodeStatus, KeepsSinceWhenItHasBeenReady) {
  const Json first = node_status(spec(), machine(), JsonObject(), kNow);
  const Json later = node_status(spec(), machine(), first, kNow + std::chrono::hours(1));
  const Json& ready = array_at(later, "conditions")[0];
  EXPECT_EQ(string_at(ready, "lastTransitionTime"), format_time(kNow));
  EXPECT_EQ(string_at(ready, "lastHeartbeatTime"), format_time(kNow + std::chrono::hours(1)));
}

TEST(NodeUpdate, TakesBackTheLabelsOfAnEarlierFlagAndNoOthers) {
  Json node = make_node(spec(), machine());
  make_path(node, "metadata.labels").get_object()["disk"] = "fast";  // kubectl label
  NodeSpec now = spec();
  now.labels = {{"rack", "7"}};
  now.fake_gpus = false;
  apply_merge_patch(node, node_update(node, now, machine()));
  EXPECT_EQ(label_of(node, "zone"), "");
  EXPECT_EQ(label_of(node, "rack"), "7");
  EXPECT_EQ(label_of(node, "disk"), "fast");
  EXPECT_EQ(annotation_of(node, kFakeGpusAnnotation), "");
}

}  // namespace
}  // namespace trainyard::node
