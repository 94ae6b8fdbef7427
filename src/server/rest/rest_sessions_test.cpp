#include "server/test_server.h"

namespace trainyard::server {
namespace {

const std::string kExec = "/api/v1/namespaces/default/pods/box/exec";
const std::vector<Header> kWebSocket = {{"Upgrade", "websocket"},
                                        {"Sec-WebSocket-Protocol", "v5.channel.k8s.io"}};

class SessionTest : public ServerTest {
 protected:
  SessionTest() { EXPECT_TRUE(create(kPods, make_pod("box"))); }
  std::string message(const http::Response& response) {
    return std::string(string_at(body_of(response), "message"));
  }
};

TEST_F(SessionTest, ExecIsAskedForWithItsCommandAndStreams) {
  call("GET", kExec + "?command=sh&command=-c&command=a%20b&stdin=true&stdout=true&tty=true", "",
       kWebSocket);
  EXPECT_EQ(sessions_.command, (std::vector<std::string>{"sh", "-c", "a b"}));
  EXPECT_TRUE(sessions_.asked.input && sessions_.asked.output && sessions_.asked.tty);
  EXPECT_FALSE(sessions_.asked.errors);
}

TEST_F(SessionTest, StacksArePassedOn) {
  const Json stacks = body_of(call("GET", "/api/v1/namespaces/default/pods/box/stacks"));
  EXPECT_EQ(string_at(stacks, "kind"), "PodStacks");
  EXPECT_EQ(string_at(stacks, "metadata.name"), "box");
  EXPECT_EQ(string_at(array_at(stacks, "processes")[0], "waits"), "sleeps");
}

TEST_F(SessionTest, SpdyIsRefusedInWords) {
  const auto refused = call("POST", kExec + "?command=true&stdout=true", "",
                            {{"Upgrade", "SPDY/3.1"}, {"Connection", "Upgrade"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(message(refused).find("over WebSocket only"), std::string::npos);
}

TEST_F(SessionTest, SpdyHearsFirstWhatElseIsWrong) {
  sessions_.found = Error(Code::kBadRequest, "container x is not valid");
  const auto refused = call("POST", kExec + "?command=true&stdout=true", "");
  EXPECT_EQ(message(refused), "container x is not valid");
}

TEST_F(SessionTest, RequestsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(call("GET", kExec + "?command=true", "", kWebSocket).status, 400);
  const auto both = call("GET", kExec + "?command=true&tty=1&stderr=1", "", kWebSocket);
  EXPECT_EQ(both.status, 400);
  const auto unknown = call("GET", kExec + "?command=true&stdout=1", "",
                            {{"Upgrade", "websocket"}, {"Sec-WebSocket-Protocol", "chat"}});
  EXPECT_NE(message(unknown).find("v5.channel.k8s.io"), std::string::npos);
  EXPECT_EQ(
      call("GET", "/api/v1/namespaces/default/pods/none/exec?stdout=1", "", kWebSocket).status,
      404);
}

TEST_F(SessionTest, WhatIsNotServedSaysWhatToUseInstead) {
  const auto forward = call("POST", "/api/v1/namespaces/default/pods/box/portforward", "");
  EXPECT_EQ(forward.status, 400);
  EXPECT_NE(message(forward).find("trainyard open"), std::string::npos);
  const auto debug = call("PATCH", "/api/v1/namespaces/default/pods/box/ephemeralcontainers", "{}",
                          {{"Content-Type", "application/strategic-merge-patch+json"}});
  EXPECT_EQ(debug.status, 400);
  EXPECT_NE(message(debug).find("kubectl exec"), std::string::npos);
}

TEST_F(SessionTest, PartsOfALogThatMakeNoSenseAreRefused) {
  const std::string log = "/api/v1/namespaces/default/pods/box/log";
  for (const char* wrong : {"?tailLines=-1", "?limitBytes=0", "?sinceSeconds=0", "?stream=both",
                            "?sinceSeconds=1&sinceTime=2026-03-01T10:00:00Z", "?sinceTime=noon"}) {
    EXPECT_EQ(call("GET", log + wrong, "").status, 400) << wrong;
  }
  EXPECT_EQ(call("GET", log + "?stream=Stderr&tailLines=3", "").status, 200);
  EXPECT_EQ(streams_.asked.stream, client::OutputStream::kErr);
}

TEST_F(SessionTest, PodsWhoseLogsAreKeptCanBeListed) {
  streams_.kept = {{Key{"default", "gone"}, "u1", Json{{"job", "fit"}}, clock_.wall()}};
  const Json list = body_of(call("GET", "/api/v1/namespaces/default/pods?kept=true", ""));
  ASSERT_EQ(array_at(list, "items").size(), 1U);
  const Json& item = array_at(list, "items").at(0);
  EXPECT_EQ(string_at(item, "metadata.name"), "gone");
  EXPECT_EQ(string_at(item, "metadata.labels.job"), "fit");
  EXPECT_EQ(string_at(item, "kept"), "2026-03-01T10:00:00.000000Z");
  EXPECT_EQ(call("GET", "/api/v1/namespaces/default/pods/gone/log?uid=u1&run=2", "").status, 200);
  EXPECT_EQ(streams_.asked.pod_uid, "u1");
  EXPECT_EQ(streams_.asked.run, 2);
}

}  // namespace
}  // namespace trainyard::server
