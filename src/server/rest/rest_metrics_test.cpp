#include "server/test_server.h"

namespace trainyard::server {
namespace {

using RestMetricsTest = ServerTest;

TEST_F(RestMetricsTest, ListsWhatPodsUse) {
  ASSERT_TRUE(create(kPods, make_pod("a", {{"app", "x"}})));
  ASSERT_TRUE(create(kPods, make_pod("b", {{"app", "y"}})));
  const auto answer = call("GET",
                           "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods"
                           "?labelSelector=app%3Dy");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json list = body_of(answer);
  EXPECT_EQ(string_at(list, "kind"), "PodMetricsList");
  const JsonArray& items = array_at(list, "items");
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(string_at(items[0], "metadata.name"), "b");
  EXPECT_EQ(string_at(items[0], "window"), "0.500s");
  const Json& container = array_at(items[0], "containers")[0];
  EXPECT_EQ(string_at(container, "usage.cpu"), "250000000n");
  EXPECT_EQ(string_at(container, "usage.memory"), "2048Ki");
  const JsonObject& usage = object_at(container, "usage");
  EXPECT_EQ(usage.at("trainyard.dev/disk-read"), "100");
  EXPECT_EQ(usage.at("trainyard.dev/disk-write"), "200");
  EXPECT_EQ(usage.at("trainyard.dev/network-in"), "300");
  EXPECT_EQ(usage.at("trainyard.dev/network-out"), "400");
}

TEST_F(RestMetricsTest, TellsWhatANodeUses) {
  ASSERT_TRUE(create(kNodes, {{"metadata", {{"name", "node-0"}}}}));
  const auto answer = call("GET", "/apis/metrics.k8s.io/v1beta1/nodes/node-0");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json metrics = body_of(answer);
  EXPECT_EQ(string_at(metrics, "kind"), "NodeMetrics");
  EXPECT_EQ(string_at(metrics, "usage.cpu"), "1000000000n");
  EXPECT_EQ(string_at(metrics, "usage.memory"), "1048576Ki");
}

TEST_F(RestMetricsTest, OfAPodOfWhichNothingRunsThereIsNone) {
  ASSERT_TRUE(create(kPods, make_pod("idle")));
  usage_.idle = "idle";
  const auto answer = call("GET", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/idle");
  EXPECT_EQ(answer.status, 404) << answer.body;
}

TEST_F(RestMetricsTest, CannotBeWritten) {
  const auto answer = call("POST", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods", "{}");
  EXPECT_EQ(answer.status, 405) << answer.body;
}

}  // namespace
}  // namespace trainyard::server
