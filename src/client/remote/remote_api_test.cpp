#include "client/remote/remote_api.h"

#include "base/test_loop.h"
#include "http/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

namespace trainyard::client {
namespace {

/// Answers every request with one body, and keeps the request.
class OneAnswer final : public http::Handler {
 public:
  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override {
    asked = std::move(request);
    http::Response response;
    ++requests;
    response.status = requests > refusals ? status : 429;
    if (requests <= refusals) response.headers.add("Retry-After", "0");
    response.body = body;
    (void)co_await writer.send(std::move(response));
  }
  http::Request asked;
  int status = 200;
  int requests = 0;
  int refusals = 0;  // the first ones are turned away
  std::string body = "{}";
};

class RemoteApiTest : public testing::Test {
 protected:
  RemoteApiTest() {
    http::ServerOptions options;
    options.address = "127.0.0.1";
    server_ = std::make_unique<http::Server>(loop_.executor(), clock_, options, answer_);
    EXPECT_TRUE(server_->listen());
    server_->start();
    Connection connection;
    connection.http.url = fmt::format("http://127.0.0.1:{}", server_->port());
    connection.token = "s3cret";
    api_ = std::make_unique<RemoteApi>(loop_.executor(), std::move(connection));
  }
  ~RemoteApiTest() override { loop_.run(server_->stop()); }
  Json sent() const {
    auto parsed = parse_json(answer_.asked.body);
    EXPECT_TRUE(parsed) << answer_.asked.body;
    return parsed ? *std::move(parsed) : Json();
  }

  TestLoop loop_;
  SystemClock clock_;
  OneAnswer answer_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<RemoteApi> api_;
  const Key key_{"ns", "p"};
};

TEST_F(RemoteApiTest, AsksAgainWhenABusyServerSaysSo) {
  answer_.refusals = 2;
  const Resource pods = kPods;
  EXPECT_TRUE(loop_.run(api_->create(pods, "ns", Json{{"kind", "Pod"}})));
  EXPECT_EQ(answer_.requests, 3);
  EXPECT_EQ(string_at(sent(), "kind"), "Pod");
  answer_.requests = 0;
  EXPECT_TRUE(loop_.run(api_->open_log(key_, {})));
  EXPECT_EQ(answer_.requests, 3);
  answer_.requests = 0;
  answer_.refusals = 99;
  answer_.body = R"({"message":"busy"})";
  const auto refused = loop_.run(api_->get(pods, key_));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "busy");
  EXPECT_LT(answer_.requests, 20) << "it gives up";
}

TEST_F(RemoteApiTest, SaysWhatBecomesOfTheDependentsOfWhatItRemoves) {
  DeleteOptions options;
  options.propagation = "Foreground";
  options.uid = "u1";
  options.resource_version = "7";
  options.grace_seconds = 3;
  ASSERT_TRUE(loop_.run(api_->remove(kPods, key_, options)));
  EXPECT_EQ(answer_.asked.method, "DELETE");
  EXPECT_EQ(answer_.asked.target, "/api/v1/namespaces/ns/pods/p");
  EXPECT_EQ(string_at(sent(), "propagationPolicy"), "Foreground");
  EXPECT_EQ(string_at(sent(), "preconditions.uid"), "u1");
  EXPECT_EQ(string_at(sent(), "preconditions.resourceVersion"), "7");
  EXPECT_EQ(int_at(sent(), "gracePeriodSeconds"), 3);
}

TEST_F(RemoteApiTest, RemovesInTheBackgroundWhenNothingIsSaid) {
  ASSERT_TRUE(loop_.run(api_->remove(kPods, key_, DeleteOptions())));
  EXPECT_EQ(string_at(sent(), "propagationPolicy"), "Background");
  EXPECT_EQ(find(sent(), "preconditions"), nullptr);
}

TEST_F(RemoteApiTest, PatchesASubresource) {
  answer_.body = R"({"metadata": {"name": "x", "resourceVersion": "12"}})";
  Json patch{{"spec", {{"finalizers", nullptr}}}};
  const Key ns{"", "team"};
  const auto patched =
      loop_.run(api_->patch(kNamespaces, ns, PatchType::kMerge, patch, "finalize"));
  ASSERT_TRUE(patched) << patched.error().message();
  EXPECT_EQ((*patched)->revision(), 12);
  EXPECT_EQ(answer_.asked.method, "PATCH");
  EXPECT_EQ(answer_.asked.target, "/api/v1/namespaces/team/finalize");
  EXPECT_EQ(answer_.asked.headers.find("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(sent(), patch);
}

TEST_F(RemoteApiTest, AsksForATokenOfAnAccount) {
  answer_.status = 201;
  answer_.body = R"({"kind": "TokenRequest", "status": {"token": "abc"}})";
  const Json request{{"kind", "TokenRequest"}, {"spec", {{"expirationSeconds", 600}}}};
  const auto given = loop_.run(api_->request_token(Key{"ns", "trainer"}, request));
  ASSERT_TRUE(given) << given.error().message();
  EXPECT_EQ(string_at(*given, "status.token"), "abc");
  EXPECT_EQ(answer_.asked.method, "POST");
  EXPECT_EQ(answer_.asked.target, "/api/v1/namespaces/ns/serviceaccounts/trainer/token");
  EXPECT_EQ(sent(), request);
}

TEST_F(RemoteApiTest, TurnsAStatusIntoAnError) {
  answer_.status = 409;
  answer_.body = R"({"kind": "Status", "reason": "Conflict", "message": "changed meanwhile"})";
  const auto failed = loop_.run(api_->get(kPods, key_));
  ASSERT_TRUE(failed.failed_with(Code::kConflict));
  EXPECT_EQ(failed.error().message(), "changed meanwhile");
}

}  // namespace
}  // namespace trainyard::client
