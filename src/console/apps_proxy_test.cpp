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
    proxy_.set_ports(6482, "http://127.0.0.1:6481");
    put_board("Running", "True");
  }
  ~AppsProxyTest() override { loop_.run(proxy_.activity().stop()); }

  AppsBackend backend() {
    return AppsBackend{api_,
                       ports_,
                       [this](const Visitor& visitor, const AppRight& right) {
                         asked_.push_back(right.verb + " " + right.resource.plural +
                                          right.subresource + " " + right.key.ns);
                         return allowed_.contains(visitor.name);
                       },
                       "key",
                       loop_.executor(),
                       ""};
  }
  void put_board(const std::string& phase, const std::string& ready, bool suspend = false) {
    const JsonObject condition{
        {"type", "Ready"}, {"status", ready}, {"message", "because of <reasons>"}};
    const JsonObject pod{{"reference", JsonObject{{"name", "managed-tensorboard-12345-0"}}}};
    api_.put(
        contract::kTensorBoards,
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
    if (!has_host) request.headers.add("Host", host_);
    OneAnswer writer;
    writer.body = std::move(body);
    loop_.run(proxy_.handle(std::move(request), writer));
    EXPECT_TRUE(writer.answer) << target;
    return writer.answer.value_or(http::Response());
  }
  Result<std::string> link_for(const std::string& who, const std::string& app) {
    return loop_.run(proxy_.make_link(Visitor{who, "", {}, ""}, *parse_app_target(app)));
  }
  /// The Cookie header of somebody who has followed a link; from then on all is asked at its host.
  Header log_in(const std::string& who = "ann",
                const std::string& app = "/vision/tensorboard/board") {
    const std::string link = link_for(who, app).value_or("");
    const std::size_t path = link.find("/login");
    EXPECT_NE(path, std::string::npos) << link;
    host_ = link.substr(7, path - 7);
    const http::Response welcome = ask("GET", link.substr(path));
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
  std::string host_ = "127.0.0.1:6482";
};

TEST_F(AppsProxyTest, StrangersLearnNothing) {
  log_in();
  for (const std::string& host :
       {host_, std::string("127.0.0.1:6482"), std::string("localhost:6482"),
        std::string(32, 'a') + ".localhost:6482"}) {
    host_ = host;
    SCOPED_TRACE(host);
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
    EXPECT_EQ(ask("GET", kBoard, {{"Authorization", "Bearer ann"}}).status, 401);
    EXPECT_EQ(ask("GET", "/login?token=guess").status, 401);
  }
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

TEST_F(AppsProxyTest, NoAppIsAtTheAddressThatEverybodyKnows) {
  const Header cookie = log_in();
  for (const char* door : {"127.0.0.1:6482", "localhost:6482"}) {
    const http::Response page = ask("GET", kBoard, {cookie, {"Host", door}});
    EXPECT_EQ(page.status, 401) << door;
    EXPECT_NE(page.body.find("trainyard open tensorboard board -n vision"), std::string::npos);
    EXPECT_NE(page.body.find("http://127.0.0.1:6481/open/vision/tensorboard/board"),
              std::string::npos);
  }
  const http::Response told =
      ask("GET", kBoard, {{"Authorization", "Bearer ann"}, cookie, {"Host", "127.0.0.1:6482"}});
  EXPECT_EQ(told.status, 401);
  EXPECT_NE(told.body.find("without TLS"), std::string::npos) << told.body;
  EXPECT_TRUE(ports_.dialled.empty());
}

TEST_F(AppsProxyTest, OneAppsCookieOpensNothingAtAnothersName) {
  const Header anns = log_in();
  const std::string anns_host = host_;
  const Header eves = log_in("eve");
  EXPECT_NE(host_, anns_host);
  EXPECT_EQ(ask("GET", kBoard, {anns}).status, 401) << "another person's";
  EXPECT_EQ(ask("GET", kBoard, {eves}).status, 502);
  api_.put(contract::kTensorBoards,
           Json{{"apiVersion", "tensorstack.dev/v1beta1"},
                {"kind", "TensorBoard"},
                {"metadata", {{"name", "other"}, {"namespace", "vision"}}}});
  log_in("ann", "/vision/tensorboard/other");
  EXPECT_NE(host_, anns_host);
  EXPECT_EQ(ask("GET", kBoard, {anns}).status, 401) << "another app's";
  EXPECT_EQ(ask("GET", "/vision/tensorboard/other/", {anns}).status, 401);
  host_ = anns_host;
  EXPECT_EQ(ask("GET", kBoard, {anns}).status, 502);
  EXPECT_EQ(ask("GET", "/vision/tensorboard/other/", {anns}).status, 401);
}

TEST_F(AppsProxyTest, ALinkIsOfNoUseAtAnotherName) {
  log_in("eve");
  const std::string link = link_for("ann", "/vision/tensorboard/board").value_or("");
  const std::string path = link.substr(link.find("/login"));
  const http::Response refused = ask("GET", path);
  EXPECT_EQ(refused.status, 401);
  EXPECT_FALSE(refused.headers.find("Set-Cookie"));
}

TEST_F(AppsProxyTest, LoggingOutEndsAllSessionsOfThatPerson) {
  const Header anns = log_in();
  const std::string anns_host = host_;
  const Header eves = log_in("eve");
  loop_.run(proxy_.log_out("ann"));
  EXPECT_EQ(ask("GET", kBoard, {eves}).status, 502);
  host_ = anns_host;
  EXPECT_EQ(ask("GET", kBoard, {anns}).status, 401);
}

TEST_F(AppsProxyTest, RightsAreLookedAtAgainWithEachRequest) {
  const Header cookie = log_in();
  allowed_.erase("ann");
  EXPECT_EQ(ask("GET", kBoard, {cookie}).status, 403);
  EXPECT_TRUE(link_for("ann", "/vision/tensorboard/board").failed_with(Code::kForbidden));
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
  EXPECT_EQ(status({{"Host", "x.localhost:6482"}}), 421);
  EXPECT_EQ(status({{"Host", ".localhost:6482"}}), 421);
  EXPECT_EQ(status({{"Host", host_ + ".evil.example"}}), 421);
  const std::string other = "http://" + std::string(32, '0') + ".localhost:6482";
  for (const char* method : {"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    EXPECT_EQ(status({{"Origin", "http://evil.example"}}, method), 403) << method;
    EXPECT_EQ(status({{"Origin", "http://127.0.0.1:6481"}}, method), 403) << "the console's";
    EXPECT_EQ(status({{"Origin", "http://127.0.0.1:6482"}}, method), 403) << "the door's";
    EXPECT_EQ(status({{"Origin", other}}, method), 403) << "another app's";
    EXPECT_EQ(status({{"Origin", "null"}}, method), 403) << method;
  }
  EXPECT_EQ(status({{"Origin", "http://" + host_}}, "POST"), 502);
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
  foreign.emplace_back("Origin", other);
  EXPECT_EQ(status(foreign), 403) << "a confused app";
}

TEST_F(AppsProxyTest, LinksAreForThoseWhoMayUseTheApp) {
  EXPECT_TRUE(link_for("ann", "/vision/tensorboard/board"));
  EXPECT_TRUE(link_for("bob", "/vision/tensorboard/board").failed_with(Code::kForbidden));
  EXPECT_TRUE(link_for("bob", "/vision/tensorboard/gone").failed_with(Code::kForbidden));
  EXPECT_TRUE(link_for("ann", "/vision/tensorboard/gone").failed_with(Code::kNotFound));
  const http::Response asked = ask("POST", "/login-links", {{"Authorization", "Bearer ann"}},
                                   R"({"app":"/vision/tensorboard/board"})");
  EXPECT_EQ(asked.status, 401) << "they are asked for over TLS";
  EXPECT_EQ(asked.body.find("login?token"), std::string::npos);
}

TEST_F(AppsProxyTest, ANotebookTakesTheRightToRunCommands) {
  asked_.clear();
  EXPECT_FALSE(link_for("ann", "/vision/notebook/lab"));
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
  api_.erase(contract::kTensorBoards, Key{"vision", "board"});
  EXPECT_EQ(ask("GET", kBoard, {cookie}).status, 404);
  EXPECT_TRUE(ports_.dialled.empty());
}

}  // namespace
}  // namespace trainyard::console
