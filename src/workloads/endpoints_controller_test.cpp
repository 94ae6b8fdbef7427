#include "workloads/endpoints_controller.h"

#include "workloads/endpoints_plan.h"
#include "workloads/test_world.h"

#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

class EndpointsTest : public testing::Test {
 protected:
  EndpointsTest() : controller_(world_.loop.executor(), world_.api, world_.clock) {
    controller_.start();
    Json service = make_object("v1", "Service", "ns", "web");
    make_path(service, "spec") = {
        {"selector", {{"app", "web"}}},
        {"ports", JsonArray{{{"name", "http"}, {"port", 80}, {"targetPort", "main"}},
                            {{"name", "raw"}, {"port", 9000}, {"protocol", "TCP"}}}}};
    world_.api.put(kServices, std::move(service));
    world_.pass(1s);
  }
  ~EndpointsTest() override { world_.loop.run(controller_.stop()); }

  void put_pod(const std::string& name, const std::string& ip, bool ready,
               const std::string& app = "web") {
    Json pod = make_object("v1", "Pod", "ns", name);
    make_path(pod, "metadata.labels") = {{"app", app}};
    make_path(pod, "spec.containers") = JsonArray{
        {{"name", "c"}, {"ports", JsonArray{{{"name", "main"}, {"containerPort", 8080}}}}}};
    make_path(pod, "status") = {
        {"phase", "Running"},
        {"podIP", ip},
        {"conditions", JsonArray{{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}};
    world_.api.put(kPods, std::move(pod));
    world_.pass(1s);
  }
  ObjectPtr endpoints() { return world_.api.find(kEndpoints, Key{"ns", "web"}); }
  std::string ips(const char* list) {
    std::string text;
    for (const Json& subset : array_at(endpoints()->body(), "subsets")) {
      for (const Json& address : array_at(subset, list)) {
        text += std::string(string_at(address, "ip")) + " ";
      }
    }
    return text;
  }

  TestWorld world_;
  EndpointsController controller_;
};

TEST_F(EndpointsTest, ListsReadyPodsApartFromThoseThatAreNot) {
  ASSERT_NE(endpoints(), nullptr);
  EXPECT_TRUE(array_at(endpoints()->body(), "subsets").empty());
  put_pod("a", "127.64.0.1", true);
  put_pod("b", "127.64.0.2", false);
  put_pod("c", "127.64.0.3", true, "other");
  EXPECT_EQ(ips("addresses"), "127.64.0.1 ");
  EXPECT_EQ(ips("notReadyAddresses"), "127.64.0.2 ");
  const Json subset = array_at(endpoints()->body(), "subsets").at(0);
  EXPECT_EQ(array_at(subset, "ports"),
            (JsonArray{{{"name", "http"}, {"port", 8080}, {"protocol", "TCP"}},
                       {{"name", "raw"}, {"port", 9000}, {"protocol", "TCP"}}}));
  EXPECT_EQ(string_at(array_at(subset, "addresses").at(0), "targetRef.name"), "a");
}

TEST_F(EndpointsTest, TellsTheSameInSlices) {
  put_pod("a", "127.64.0.1", true);
  put_pod("b", "127.64.0.2", false);
  ASSERT_EQ(world_.api.all(kEndpointSlices).size(), 1U);
  const Json slice = world_.api.all(kEndpointSlices)[0]->body();
  EXPECT_EQ(label_of(slice, kServiceNameLabel), "web");
  const JsonArray& entries = array_at(slice, "endpoints");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(array_at(entries[0], "addresses"), (JsonArray{"127.64.0.1"}));
  EXPECT_TRUE(bool_at(entries[0], "conditions.ready"));
  EXPECT_FALSE(bool_at(entries[1], "conditions.ready", true));
  EXPECT_EQ(array_at(slice, "ports").size(), 2U);
  world_.api.erase(kPods, Key{"ns", "a"});
  world_.api.erase(kPods, Key{"ns", "b"});
  world_.pass(1s);
  EXPECT_TRUE(world_.api.all(kEndpointSlices).empty());
}

TEST(EndpointSlices, NameEveryPort) {
  const Json service{{"metadata", {{"name", "web"}}},
                     {"spec", {{"ports", JsonArray{{{"port", 80}}}}}}};
  const auto pod = std::make_shared<const StoredObject>(
      Json{{"metadata", {{"name", "web-0"}}}, {"status", {{"podIP", "127.64.0.9"}}}}, 1);
  const auto slices = endpoint_slices(service, {pod});
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_NE(find(array_at(slices.begin()->second, "ports").at(0), "name"), nullptr);
}

TEST_F(EndpointsTest, HearsOfAPodThatLosesItsLabelOrGoes) {
  put_pod("a", "127.64.0.1", true);
  put_pod("b", "127.64.0.2", true);
  EXPECT_EQ(ips("addresses"), "127.64.0.1 127.64.0.2 ");
  put_pod("a", "127.64.0.1", true, "other");
  EXPECT_EQ(ips("addresses"), "127.64.0.2 ");
  world_.api.erase(kPods, Key{"ns", "b"});
  world_.pass(1s);
  EXPECT_EQ(ips("addresses"), "");
}

TEST_F(EndpointsTest, GoesWithItsServiceButLeavesWhatIsNotItsOwn) {
  world_.api.put(kServices, make_object("v1", "Service", "ns", "hand"));
  world_.api.put(kEndpoints, make_object("v1", "Endpoints", "ns", "hand"));
  world_.api.erase(kServices, Key{"ns", "web"});
  world_.api.erase(kServices, Key{"ns", "hand"});
  world_.pass(1s);
  EXPECT_EQ(endpoints(), nullptr);
  EXPECT_NE(world_.api.find(kEndpoints, Key{"ns", "hand"}), nullptr);
}

TEST(EndpointSubsets, ListsAllPodsOfAServiceWhosePeersMeetWhileTheyComeUp) {
  const Json service{{"metadata", {{"name", "job"}}},
                     {"spec", {{"clusterIP", "None"}, {"publishNotReadyAddresses", true}}}};
  const auto pod = std::make_shared<const StoredObject>(
      Json{{"metadata", {{"name", "job-0"}, {"namespace", "ns"}}},
           {"spec", {{"hostname", "job-0"}, {"subdomain", "job"}}},
           {"status", {{"phase", "Pending"}, {"podIP", "127.64.0.9"}}}},
      1);
  const JsonArray subsets = endpoint_subsets(service, {pod});
  ASSERT_EQ(subsets.size(), 1U);
  EXPECT_EQ(string_at(array_at(subsets[0], "addresses").at(0), "hostname"), "job-0");
  EXPECT_EQ(find(subsets[0], "ports"), nullptr);
}

}  // namespace
}  // namespace trainyard::workloads
