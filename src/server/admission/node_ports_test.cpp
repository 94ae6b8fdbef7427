#include "server/admission/node_ports.h"

#include "server/test_server.h"
#include "server/test_store.h"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace trainyard::server {
namespace {

class NodePortsTest : public ServerTest {
 protected:
  static Json service(const std::string& name, const std::string& port,
                      const std::string& type = "NodePort") {
    return from_yaml(fmt::format("{{metadata: {{name: {}}}, spec: {{type: {}, ports: [{}]}}}}",
                                 name, type, port));
  }
  std::int64_t port_of(const std::string& name) {
    return int_at(array_at(get(kServices, name), "spec.ports").at(0), "nodePort");
  }
  std::string fault_of(const Result<ObjectPtr>& result) {
    if (result) return "accepted";
    return result.error().causes().empty()
               ? result.error().message()
               : result.error().causes()[0].field + ": " + result.error().causes()[0].message;
  }
};

TEST_F(NodePortsTest, EveryServiceGetsItsOwn) {
  std::set<std::int64_t> given;
  for (int i = 0; i < 50; ++i) {
    const std::string name = fmt::format("s{}", i);
    ASSERT_TRUE(create(kServices, service(name, "{port: 80}")));
    const std::int64_t port = port_of(name);
    EXPECT_GE(port, 30'000);
    EXPECT_LE(port, 32'767);
    EXPECT_TRUE(given.insert(port).second) << port;
  }
}

TEST_F(NodePortsTest, OthersGetNone) {
  ASSERT_TRUE(create(kServices, service("inside", "{port: 80}", "ClusterIP")));
  EXPECT_EQ(port_of("inside"), 0);
  EXPECT_EQ(find(get(kServices, "inside"), "spec.clusterIP"), nullptr)
      << "there are no cluster addresses to give";
}

TEST_F(NodePortsTest, AskedPortsMustBeFreeAndInRange) {
  ASSERT_TRUE(create(kServices, service("a", "{port: 80, nodePort: 30080}")));
  EXPECT_EQ(port_of("a"), 30080);
  EXPECT_EQ(fault_of(create(kServices, service("b", "{port: 80, nodePort: 30080}"))),
            "spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated");
  EXPECT_EQ(fault_of(create(kServices, service("b", "{port: 80, nodePort: 80}"))),
            "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. "
            "The range of valid ports is 30000-32767");
  ASSERT_TRUE(remove(kServices, "a"));
  EXPECT_TRUE(create(kServices, service("b", "{port: 80, nodePort: 30080}")));
  ASSERT_TRUE(update(kServices, service("b", "{port: 80, nodePort: 30081}")));
  EXPECT_TRUE(create(kServices, service("c", "{port: 80, nodePort: 30080}"))) << "given up";
}

TEST_F(NodePortsTest, WhatIsNotWrittenReservesNothing) {
  WriteOptions dry;
  dry.dry_run = true;
  ASSERT_TRUE(create(kServices, service("dry", "{port: 80, nodePort: 30080}"), dry));
  ASSERT_TRUE(create(kServices, service("a", "{port: 80, nodePort: 30081}")));
  ASSERT_FALSE(create(kServices, service("a", "{port: 80, nodePort: 30082}"))) << "taken name";
  EXPECT_EQ(fault_of(create(kServices, service("b", "{port: 80, nodePort: 30080}"))), "accepted");
  EXPECT_EQ(fault_of(create(kServices, service("c", "{port: 80, nodePort: 30082}"))), "accepted");
}

TEST_F(NodePortsTest, WritesUnderWayGetDifferentPorts) {
  std::vector<Result<ObjectPtr>> results;
  for (const char* name : {"a", "b"}) {
    boost::asio::co_spawn(loop_.executor(),
                          verbs_.create(kind_of(kServices), "default",
                                        service(name, "{port: 80, nodePort: 30080}"), {}),
                          [&results](std::exception_ptr, Result<ObjectPtr> result) {
                            results.push_back(std::move(result));
                          });
  }
  while (results.size() < 2) loop_.run_ready();
  EXPECT_NE(results[0].has_value(), results[1].has_value());
}

TEST_F(NodePortsTest, AReplacementKeepsWhatWasGiven) {
  ASSERT_TRUE(create(kServices, service("a", "{port: 80}")));
  const std::int64_t port = port_of("a");
  ASSERT_TRUE(update(kServices, service("a", "{port: 80, targetPort: 8080}")));
  EXPECT_EQ(port_of("a"), port);
  ASSERT_TRUE(patch(kServices, "a", {{"spec", {{"type", "ClusterIP"}}}}));
  EXPECT_EQ(port_of("a"), 0);
  ASSERT_TRUE(patch(kServices, "a", {{"spec", {{"type", "NodePort"}}}}));
  EXPECT_NE(port_of("a"), 0);
}

TEST_F(NodePortsTest, AHeadlessServiceStaysSo) {
  Json headless = service("h", "{port: 80}", "ClusterIP");
  make_path(headless, "spec.clusterIP") = "None";
  ASSERT_TRUE(create(kServices, headless));
  ASSERT_TRUE(update(kServices, service("h", "{port: 81}", "ClusterIP")));
  EXPECT_EQ(string_at(get(kServices, "h"), "spec.clusterIP"), "None");
}

}  // namespace
}  // namespace trainyard::server
