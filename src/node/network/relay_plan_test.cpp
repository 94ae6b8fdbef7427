#include "node/network/relay_plan.h"

#include "node/network/hosts_text.h"
#include "node/network/network_for_tests.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

class RelayPlanTest : public testing::Test {
 protected:
  std::map<RelayPlace, RelayRule> plan() { return plan_relays(network_, {"127.65.0.1"}); }
  std::string ip(const std::string& name) { return network_.find_pod("u-" + name)->ip; }
  static Json node_port(Json service, int number) {
    make_path(service, "spec.ports") = JsonArray{{{"port", 80}, {"nodePort", number}}};
    return service;
  }
  static Json with_target(Json service, const Json& target) {
    make_path(service, "spec.ports") = JsonArray{{{"port", 80}, {"targetPort", target}}};
    return service;
  }

  Network network_;
};

TEST_F(RelayPlanTest, ANodePortIsServedOnLoopbackAndOnEveryNode) {
  network_.add_pod(place_of_pod("a"));
  network_.put_service(node_port(place_of_service("web", "a"), 30080));
  const RelayRule rule{Key{"demo", "web"}, false, {{ip("a"), 80}}};
  const std::map<RelayPlace, RelayRule> expected{{{"127.0.0.1", 30080}, rule},
                                                 {{"127.65.0.1", 30080}, rule}};
  EXPECT_EQ(plan(), expected);
  network_.update_pod(unready(place_of_pod("a")));
  EXPECT_TRUE(plan().at({"127.0.0.1", 30080}).targets.empty()) << "kept, though nobody is ready";
  network_.remove_service(Key{"demo", "web"});
  EXPECT_TRUE(plan().empty());
}

TEST_F(RelayPlanTest, AServiceWhosePortsAreThePodsOwnNeedsNoRelay) {
  network_.add_pod(place_of_pod("a"));
  network_.put_service(place_of_service("web", "a"));
  EXPECT_TRUE(plan().empty());
}

TEST_F(RelayPlanTest, AServiceWithAPortOfItsOwnHasAnAddressOfItsOwn) {
  network_.add_pod(place_of_pod("a"));
  network_.put_service(with_target(place_of_service("web", "a"), 8080));
  const std::string address = network_.services().at(Key{"demo", "web"}).address;
  EXPECT_TRUE(address.starts_with("127.66.")) << address;
  const std::vector<RelayTarget> there{{ip("a"), 8080}};
  EXPECT_EQ(plan().at({address, 80}).targets, there);
  const std::string hosts = HostsText(network_).of("u-a");
  EXPECT_NE(hosts.find(address + " web web.demo web.demo.svc web.demo.svc.cluster.local\n"),
            std::string::npos)
      << hosts;
  EXPECT_EQ(hosts.find(ip("a") + " web "), std::string::npos) << "its names lead there only";
}

TEST_F(RelayPlanTest, AHeadlessServiceNeverHasAnAddress) {
  Json service = with_target(place_of_service("web", "a"), 8080);
  make_path(service, "spec.clusterIP") = "None";
  network_.put_service(service);
  EXPECT_EQ(network_.services().at(Key{"demo", "web"}).address, "");
  EXPECT_TRUE(plan().empty());
}

TEST_F(RelayPlanTest, WhereSomebodyElseListensNamesLeadToThePodsThemselves) {
  network_.add_pod(place_of_pod("a"));
  network_.put_service(with_target(place_of_service("web", "a"), 8080));
  const std::string address = network_.services().at(Key{"demo", "web"}).address;
  network_.set_served(Key{"demo", "web"}, false);
  EXPECT_NE(HostsText(network_).of("u-a").find(ip("a") + " web "), std::string::npos);
  EXPECT_EQ(HostsText(network_).of("u-a").find(address), std::string::npos);
  EXPECT_TRUE(plan().contains({address, 80})) << "it is tried again";
  network_.set_served(Key{"demo", "web"}, true);
  EXPECT_NE(HostsText(network_).of("u-a").find(address + " web "), std::string::npos);
}

TEST_F(RelayPlanTest, ANameForTheSamePortNeedsNoRelay) {
  Json pod = place_of_pod("a");
  make_path(pod, "spec.containers") =
      JsonArray{{{"ports", JsonArray{{{"name", "http"}, {"containerPort", 80}}}}}};
  network_.add_pod(pod);
  network_.put_service(with_target(place_of_service("web", "a"), "http"));
  EXPECT_TRUE(plan().empty());
  EXPECT_NE(HostsText(network_).of("u-a").find(ip("a") + " web "), std::string::npos);
}

TEST_F(RelayPlanTest, ANamedPortIsWhateverEachPodMeansByIt) {
  Json old_one = place_of_pod("old");
  Json new_one = place_of_pod("new");
  Json nameless = place_of_pod("other");
  int number = 8000;
  for (Json* pod : {&old_one, &new_one, &nameless}) {
    make_path(*pod, "metadata.labels.app") = "a";
    if (pod == &nameless) continue;
    make_path(*pod, "spec.containers") =
        JsonArray{{{"ports", JsonArray{{{"name", "http"}, {"containerPort", number++}}}}}};
  }
  for (const Json& pod : {old_one, new_one, nameless}) network_.add_pod(pod);
  network_.put_service(with_target(place_of_service("web", "a"), "http"));
  const std::string address = network_.services().at(Key{"demo", "web"}).address;
  const std::vector<RelayTarget> both{{ip("new"), 8001}, {ip("old"), 8000}};
  EXPECT_EQ(plan().at({address, 80}).targets, both);
}

TEST_F(RelayPlanTest, PodsTakeTurnsUnlessTheClientSticksToOne) {
  RelayRule rule{Key{"demo", "web"}, false, {{"a", 1}, {"b", 1}, {"c", 1}}};
  EXPECT_EQ(order_of(rule, 0, "x").front().address, "a");
  EXPECT_EQ(order_of(rule, 4, "x").front().address, "b");
  EXPECT_EQ(order_of(rule, 4, "x").back().address, "a") << "the others are tried after it";
  rule.sticky = true;
  EXPECT_EQ(order_of(rule, 0, "x"), order_of(rule, 1, "x"));
  EXPECT_TRUE(order_of(RelayRule(), 7, "x").empty());
}

}  // namespace
}  // namespace trainyard::node
