#include "node/network/network.h"

#include "node/network/hosts_text.h"
#include "node/network/network_for_tests.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

class NetworkTest : public testing::Test {
 protected:
  NetworkTest() {
    network_.on_change([this] { ++changes_; });
  }
  std::string ip(const std::string& name) {
    const PodPlace* pod = network_.find_pod("u-" + name);
    return pod == nullptr ? "none" : pod->ip;
  }
  /// Whether the pod's hosts file has that line.
  bool has_line(const std::string& pod, const std::string& line) {
    return ("\n" + text(pod)).find("\n" + line + "\n") != std::string::npos;
  }
  std::string text(const std::string& pod) { return HostsText(network_).of("u-" + pod); }
  bool knows(const std::string& pod, const std::string& name) {
    return text(pod).find(" " + name + " ") != std::string::npos ||
           text(pod).find(" " + name + "\n") != std::string::npos;
  }

  Network network_;
  int changes_ = 0;
};

TEST_F(NetworkTest, EveryPodGetsALoopbackAddressOfItsOwn) {
  std::set<std::string> seen;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "p" + std::to_string(i);
    network_.add_pod(place_of_pod(name));
    EXPECT_TRUE(ip(name).starts_with("127.64.")) << ip(name);
    EXPECT_TRUE(seen.insert(ip(name)).second) << ip(name);
  }
}

TEST_F(NetworkTest, APodKeepsTheAddressOfItsStatusAndNobodyElseGetsIt) {
  Json known = place_of_pod("p");
  make_path(known, "status.podIP") = "127.64.7.7";
  network_.add_pod(known);
  EXPECT_EQ(ip("p"), "127.64.7.7");
  network_.update_pod(place_of_pod("p"));
  EXPECT_EQ(ip("p"), "127.64.7.7") << "also when a state without it comes";
  network_.remove_pod("u-p");
  network_.update_pod(known);
  EXPECT_EQ(ip("p"), "none") << "what is gone does not come back by a late update";
}

TEST_F(NetworkTest, PodsOfANamespaceFindEachOtherByAllTheirNames) {
  Json worker = place_of_pod("mnist-0");
  make_path(worker, "spec.subdomain") = "mnist";
  network_.add_pod(worker);
  network_.add_pod(place_of_pod("mnist-1"));
  EXPECT_TRUE(has_line(
      "mnist-1", ip("mnist-0") + " mnist-0 mnist-0.mnist mnist-0.mnist.demo "
                                 "mnist-0.mnist.demo.svc mnist-0.mnist.demo.svc.cluster.local"))
      << text("mnist-1");
  EXPECT_TRUE(has_line("mnist-0", ip("mnist-1") + " mnist-1"));
  EXPECT_TRUE(text("mnist-0").starts_with("127.0.0.1 localhost\n"));
}

TEST_F(NetworkTest, OtherNamespacesKnowTheLongNamesOnly) {
  Json worker = place_of_pod("w");
  make_path(worker, "spec.subdomain") = "team";
  network_.add_pod(worker);
  network_.add_pod(place_of_pod("plain"));
  network_.put_service(place_of_service("web", "w"));
  network_.add_pod(place_of_pod("far", "other"));
  EXPECT_TRUE(
      has_line("far", ip("w") + " w.team.demo w.team.demo.svc w.team.demo.svc.cluster.local"))
      << text("far");
  EXPECT_TRUE(has_line("far", ip("w") + " web.demo web.demo.svc web.demo.svc.cluster.local"));
  EXPECT_FALSE(knows("far", "w"));
  EXPECT_FALSE(knows("far", "web"));
  EXPECT_FALSE(knows("far", "plain"));
}

TEST_F(NetworkTest, AServicesNamesFollowItsReadyPods) {
  network_.add_pod(place_of_pod("client"));
  network_.put_service(place_of_service("db", "a"));
  EXPECT_FALSE(knows("client", "db"));
  network_.add_pod(unready(place_of_pod("a")));
  EXPECT_FALSE(knows("client", "db")) << "not before it is ready";
  network_.update_pod(place_of_pod("a"));
  const std::string line = " db db.demo db.demo.svc db.demo.svc.cluster.local";
  EXPECT_TRUE(has_line("client", ip("a") + line)) << text("client");

  Json other = place_of_pod("b");
  make_path(other, "metadata.labels.app") = "a";
  network_.add_pod(other);
  EXPECT_TRUE(has_line("client", ip("b") + line));
  Json ending = place_of_pod("a");
  make_path(ending, "metadata.deletionTimestamp") = "2026-11-16T00:00:00Z";
  network_.update_pod(ending);
  EXPECT_FALSE(has_line("client", ip("a") + line));
  EXPECT_TRUE(has_line("client", ip("b") + line));
  make_path(other, "metadata.labels.app") = "changed";
  network_.update_pod(other);
  EXPECT_FALSE(knows("client", "db"));
}

TEST_F(NetworkTest, PeersThatMeetWhileTheyComeUpAreFoundBeforeTheyAreReady) {
  Json service = place_of_service("team", "a");
  make_path(service, "spec.publishNotReadyAddresses") = true;
  network_.add_pod(unready(place_of_pod("a")));
  network_.put_service(service);
  EXPECT_TRUE(knows("a", "team.demo.svc"));
}

TEST_F(NetworkTest, AServicesNameIsNotThatOfAPod) {
  network_.add_pod(unready(place_of_pod("web")));
  network_.add_pod(place_of_pod("client"));
  EXPECT_TRUE(knows("client", "web"));
  network_.put_service(place_of_service("web", "elsewhere"));
  EXPECT_FALSE(knows("client", "web")) << "the Service has no pods";
  EXPECT_TRUE(has_line("web", ip("web") + " web")) << "but its own host name is known to a pod";
  network_.remove_service(Key{"demo", "web"});
  EXPECT_TRUE(knows("client", "web"));
}

TEST_F(NetworkTest, AHostnameOfItsOwnStandsBesideThePodsName) {
  Json named = place_of_pod("long-pod-name");
  make_path(named, "spec.hostname") = "short";
  network_.add_pod(named);
  EXPECT_TRUE(has_line("long-pod-name", ip("long-pod-name") + " short long-pod-name"));
}

TEST_F(NetworkTest, AliasesAreForTheirOwnPod) {
  Json pod = place_of_pod("a");
  make_path(pod, "spec.hostAliases") =
      JsonArray{{{"ip", "10.1.2.3"}, {"hostnames", JsonArray{"store", "store.example"}}}};
  network_.add_pod(pod);
  network_.add_pod(place_of_pod("b"));
  EXPECT_TRUE(has_line("a", "10.1.2.3 store store.example"));
  EXPECT_FALSE(knows("b", "store"));
}

TEST_F(NetworkTest, WhoHasAPrivateNetworkIsFoundByNobody) {
  Json hidden = place_of_pod("hidden");
  make_path(hidden, "metadata.annotations") = JsonObject{{kNetworkAnnotation, "private"}};
  network_.add_pod(hidden);
  network_.put_service(place_of_service("web", "hidden"));
  network_.add_pod(place_of_pod("b"));
  EXPECT_FALSE(knows("b", "hidden"));
  EXPECT_FALSE(knows("b", "web"));
  EXPECT_TRUE(knows("hidden", "hidden"));
}

TEST_F(NetworkTest, OnlyWhatCanBeNoticedIsAChange) {
  network_.add_pod(place_of_pod("a"));
  const int before = changes_;
  Json same = place_of_pod("a");
  make_path(same, "metadata.resourceVersion") = "17";
  network_.update_pod(same);
  network_.remove_pod("nobody");
  network_.remove_service(Key{"demo", "none"});
  EXPECT_EQ(changes_, before);
  network_.put_service(place_of_service("web", "a"));
  EXPECT_EQ(changes_, before + 1);
  network_.put_service(place_of_service("web", "a"));
  EXPECT_EQ(changes_, before + 1);
}

TEST_F(NetworkTest, AServiceThatChangesItsSelectorLeadsElsewhere) {
  network_.add_pod(place_of_pod("a"));
  network_.add_pod(place_of_pod("b"));
  network_.put_service(place_of_service("web", "a"));
  network_.put_service(place_of_service("web", "b"));
  EXPECT_EQ(network_.services().at(Key{"demo", "web"}).members, std::set<std::string>{"u-b"});
  network_.remove_pod("u-b");
  EXPECT_TRUE(network_.services().at(Key{"demo", "web"}).members.empty());
}

}  // namespace
}  // namespace trainyard::node
