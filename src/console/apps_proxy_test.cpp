// Whom the proxy lets through to an app, and what it says to the others.
#include "console/apps_proxy.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "console/fake_ports.h"

#include <gtest/gtest.h>

#include <set>

namespace trainyard::console {
namespace {

using Header = std::pair<std::string, std::string>;

constexpr const char* kBoard = "/vision/tensorboard/board/";

/// Takes one answer, and gives a request's body in one part.
class OneAnswer final : public http::ResponseWriter {
 public:
  awaitable<Result<>> send(http::Response response) override {
    answer = std::move(response);
    co_return Ok();
  }
  awaitable<Result<>> start(int, http::Headers) override { co_return unexpected(); }
  awaitable<Result<>> write(std::string) override { co_return unexpected(); }
  awaitable<Result<>> finish() override { co_return unexpected(); }
  awaitable<Result<std::unique_ptr<http::WebSocket>>> upgrade(std::string) override {
    co_return unexpected();
  }
  awaitable<Result<std::string>> read_body() override {
    co_return std::exchange(body, std::string());
  }
  bool answered() const override { return answer.has_value(); }

  std::optional<http::Response> answer;
  std::string body;

 private:
  static Error unexpected() { return Error(Code::kInternal, "not in this test"); }
};

class AppsProxyTest : public testing::Test {
 protected:
  AppsProxyTest()
      : clock_(loop_.executor()),
        api_(loop_.executor(), clock_),
        proxy_(loop_.executor(), clock_, backend()) {
    proxy_.set_origin("127.0.0.1", 6482);
    put_board("Running", "True");
  }
  ~AppsProxyTest() override { loop_.run(proxy_.activity().stop()); }

  AppsBackend backend() {
    return AppsBackend{api_, ports_, &AppsProxyTest::authenticate,
                       [this](const Visitor& visitor, const AppRight& right) {
                         asked_.push_back(right.verb + " " + right.resource.plural +
                                          right.subresource + " " + right.key.ns);
                         return allowed_.contains(visitor.name);
                       },
                       "key"};
  }
  static std::optional<Visitor> authenticate(const http::Request& request) {
    const std::string_view token = request.headers.find("Authorization").value_or("");
    if (!token.starts_with("Bearer ")) return std::nullopt;
    return Visitor{std::string(token.substr(7)), "", {}, ""};
  }

  void put_board(const std::string& phase, const std::string& ready, bool suspend = false) {
    const JsonObject condition{
        {"type", "Ready"}, {"status", ready}, {"message", "because of <reasons>"}};
    const JsonObject pod{{"reference", JsonObject{{"name", "managed-tensorboard-12345-0"}}}};
    api_.put(
        client::kTensorBoards,
        Json{{"apiVersion", "tensorstack.dev/v1beta1"},
             {"kind", "TensorBoard"},
             {"metadata", {{"name", "board"}, {"namespace", "vision"}}},
             {"spec", {{"suspend", suspend}}},
             {"status", {{"phase", phase}, {"pod", pod}, {"conditions", JsonArray{condition}}}}});
  }

  http::Response ask(std::string method, std::string target, std::vector<Header> headers = {},
                     std::string body = "") {
    http::Request request;
    request.method = std::move(method);
    request.target = target;
    request.path = target.substr(0, target.find('?'));
    if (target.find('?') != std::string::npos) {
      request.query = http::Query(target.substr(target.find('?') + 1));
    }
    request.peer = "127.0.0.1:4242";
    bool has_host = false;
    for (auto& [name, value] : headers) {
      has_host = has_host || name == "Host";
      request.headers.add(name, value);
    }
    if (!has_host) request.headers.add("Host", "127.0.0.1:6482");
    OneAnswer writer;
    writer.body = std::move(body);
    loop_.run(proxy_.handle(std::move(request), writer));
    EXPECT_TRUE(writer.answer) << target;
    return writer.answer.value_or(http::Response());
  }
  http::Response ask_link(const std::string& who, const std::string& app) {
    return ask("POST", "/login-links", {{"Authorization", "Bearer " + who}},
               R"({"app":")" + app + R"("})");
  }
  /// The Cookie header of somebody who has followed a link.
  Header log_in(const std::string& who = "ann") {
    const auto answer = parse_json(ask_link(who, "/vision/tensorboard/board").body);
    EXPECT_TRUE(answer);
    const std::string link(string_at(*answer, "link"));
    const http::Response welcome =
        ask("GET", link.substr(std::string("http://127.0.0.1:6482").size()));
    const std::string cookie(welcome.headers.find("Set-Cookie").value_or(""));
    return {"Cookie", cookie.substr(0, cookie.find(';'))};
  }

  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  FakePorts ports_;
  std::set<std::string> allowed_{"ann", "eve"};
  std::vector<std::string> asked_;
  AppsProxy proxy_;
};

TEST_F(AppsProxyTest, StrangersLearnNothing) {
  const http::Response there = ask("GET", kBoard);
  EXPECT_EQ(there.status, 401);
  std::string other = ask("GET", "/vision/tensorboard/other/").body;
  EXPECT_EQ(ask("GET", "/vision/tensorboard/other/").status, 401);
  for (std::size_t at = other.find("other"); at != std::string::npos; at = other.find("other")) {
    other.replace(at, 5, "board");
  }
  EXPECT_EQ(there.body, other) << "it shows whether the app exists";
  for (const char* target : {"/", "/vision", "/favicon.ico", "/vision/tensorboard/"}) {
    EXPECT_EQ(ask("GET", target).status, 401) << target;
  }
  EXPECT_EQ(ask("POST", kBoard).status, 401);
  EXPECT_EQ(ask("GET", kBoard, {{"Cookie", "trainyard_app=guess"}}).status, 401);
  EXPECT_TRUE(ports_.dialled.empty());
}

TEST_F(AppsProxyTest, WhoFollowsALinkGetsToTheApp) {
  const Header cookie = log_in();
  EXPECT_EQ(ask("GET", kBoard, {cookie}).status, 502) << "nobody listens in this test";
  EXPECT_EQ(ports_.dialled, std::vector<std::string>{"vision/managed-tensorboard-12345-0:6006"});
  const http::Response moved = ask("GET", "/vision/tensorboard/board", {cookie});
  EXPECT_EQ(moved.status, 308);
  EXPECT_EQ(moved.headers.find("Location"), kBoard);
}

TEST_F(AppsProxyTest, ProgramsMaySendTheirToken) {
  EXPECT_EQ(ask("GET", kBoard, {{"Authorization", "Bearer ann"}}).status, 502);
  EXPECT_EQ(ask("GET", kBoard, {{"Authorization", "Bearer bob"}}).status, 403);
}

TEST_F(AppsProxyTest, RightsAreLookedAtAgainWithEachRequest) {
  const Header cookie = log_in();
  allowed_.erase("ann");
  EXPECT_EQ(ask("GET", kBoard, {cookie}).status, 403);
  EXPECT_EQ(ask_link("ann", "/vision/tensorboard/board").status, 403);
}

TEST_F(AppsProxyTest, WhoIsRemovedIsOut) {
  const Json secret{{"apiVersion", "v1"},
                    {"kind", "Secret"},
                    {"metadata", {{"name", "user-ann"}, {"namespace", "kube-system"}}}};
  api_.put(kSecrets, secret);
  const Header cookie = log_in();
  EXPECT_EQ(ask("GET", kBoard, {cookie}).status, 502);
  api_.erase(kSecrets, Key{"kube-system", "user-ann"});
  EXPECT_EQ(ask("GET", kBoard, {cookie}).status, 401);
  api_.put(kSecrets, secret);
  EXPECT_EQ(ask("GET", kBoard, {cookie}).status, 401) << "somebody else of that name";
}

TEST_F(AppsProxyTest, OtherNamesAndOtherPagesAreRefused) {
  const Header cookie = log_in();
  const auto status = [&](std::vector<Header> headers, const char* method = "GET") {
    headers.push_back(cookie);
    return ask(method, kBoard, std::move(headers)).status;
  };
  EXPECT_EQ(status({{"Host", "evil.example:6482"}}), 421);
  EXPECT_EQ(status({{"Host", "127.0.0.1:6481"}}), 421);
  EXPECT_EQ(status({{"Host", "localhost:6482"}}), 502);
  for (const char* method : {"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    EXPECT_EQ(status({{"Origin", "http://evil.example"}}, method), 403) << method;
    EXPECT_EQ(status({{"Origin", "http://127.0.0.1:6481"}}, method), 403) << "the console's";
    EXPECT_EQ(status({{"Origin", "null"}}, method), 403) << method;
  }
  EXPECT_EQ(status({{"Origin", "http://127.0.0.1:6482"}}, "POST"), 502);
  EXPECT_EQ(status({{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}}), 403);
  EXPECT_EQ(status({{"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Mode", "cors"}}), 403);
  EXPECT_EQ(status({{"Sec-Fetch-Site", "same-site"},
                    {"Sec-Fetch-Mode", "navigate"},
                    {"Sec-Fetch-Dest", "iframe"}}),
            403);
  EXPECT_EQ(status({{"Sec-Fetch-Site", "same-site"},
                    {"Sec-Fetch-Mode", "navigate"},
                    {"Sec-Fetch-Dest", "document"}}),
            502)
      << "a link of the console's";
  const std::vector<Header> socket{{"Connection", "Upgrade"}, {"Upgrade", "websocket"}};
  auto foreign = socket;
  foreign.emplace_back("Origin", "http://evil.example");
  EXPECT_EQ(status(foreign), 403);
}

TEST_F(AppsProxyTest, LinksAreForThoseWhoMayUseTheApp) {
  EXPECT_EQ(ask("POST", "/login-links", {}, R"({"app":"/vision/tensorboard/board"})").status, 401);
  EXPECT_EQ(ask_link("bob", "/vision/tensorboard/board").status, 403);
  EXPECT_EQ(ask_link("bob", "/vision/tensorboard/gone").status, 403);
  EXPECT_EQ(ask_link("ann", "/vision/tensorboard/gone").status, 404);
  EXPECT_EQ(ask_link("ann", "/vision").status, 400);
  EXPECT_EQ(ask("GET", "/login?token=guess").status, 401);
}

TEST_F(AppsProxyTest, TheConsoleGetsLinksForThoseWhoMayUseTheApp) {
  const AppAddress board = *parse_app_target("/vision/tensorboard/board");
  const auto link = loop_.run(proxy_.make_link(Visitor{"ann", "", {}, ""}, board));
  ASSERT_TRUE(link);
  const http::Response welcome =
      ask("GET", link->substr(std::string("http://127.0.0.1:6482").size()));
  EXPECT_TRUE(welcome.headers.find("Set-Cookie"));
  const auto refused = loop_.run(proxy_.make_link(Visitor{"bob", "", {}, ""}, board));
  EXPECT_TRUE(refused.failed_with(Code::kForbidden));
}

TEST_F(AppsProxyTest, ANotebookTakesTheRightToRunCommands) {
  asked_.clear();
  ask_link("ann", "/vision/notebook/lab");
  EXPECT_EQ(asked_, (std::vector<std::string>{"get notebooks vision", "create podsexec vision"}));
}

TEST_F(AppsProxyTest, SaysWhyAnAppDoesNotAnswer) {
  const Header cookie = log_in();
  put_board("Initializing", "False");
  const http::Response starting = ask("GET", kBoard, {cookie});
  EXPECT_EQ(starting.status, 503);
  EXPECT_NE(starting.body.find("is starting"), std::string::npos);
  EXPECT_NE(starting.body.find("because of &lt;reasons&gt;"), std::string::npos);
  EXPECT_NE(starting.body.find("http-equiv=\"refresh\""), std::string::npos);
  put_board("Failed", "False");
  EXPECT_NE(ask("GET", kBoard, {cookie}).body.find("has failed"), std::string::npos);
  put_board("Suspended", "False", true);
  EXPECT_NE(ask("GET", kBoard, {cookie}).body.find("is suspended"), std::string::npos);
  api_.erase(client::kTensorBoards, Key{"vision", "board"});
  EXPECT_EQ(ask("GET", kBoard, {cookie}).status, 404);
  EXPECT_TRUE(ports_.dialled.empty());
}

}  // namespace
}  // namespace trainyard::console
