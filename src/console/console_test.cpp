// Who gets into the console, and what every answer carries.
#include "console/console.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "console/sessions.h"
#include "http/gzip.h"
#include "object/json.h"

#include <gtest/gtest.h>

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;
using Header = std::pair<std::string, std::string>;

const Header kUpgrade{"Upgrade", "websocket"};

class SessionsTest : public testing::Test {
 protected:
  SessionsTest() : clock_(loop_.executor()), sessions_(clock_, "key") {}
  TestLoop loop_;
  FakeClock clock_;
  Sessions sessions_;
};

TEST_F(SessionsTest, ALinkWorksOnce) {
  const std::string secret = sessions_.make_link_secret();
  const auto session = sessions_.redeem(secret);
  ASSERT_TRUE(session);
  EXPECT_TRUE(sessions_.is_valid(*session));
  EXPECT_FALSE(sessions_.redeem(secret));
  EXPECT_TRUE(sessions_.is_valid(*session)) << "a second visit does not log the first one out";
}

TEST_F(SessionsTest, ALinkWorksOnlySoon) {
  const std::string early = sessions_.make_link_secret();
  clock_.advance(9min);
  EXPECT_TRUE(sessions_.redeem(early));
  const std::string late = sessions_.make_link_secret();
  clock_.advance(10min);
  EXPECT_FALSE(sessions_.redeem(late));
}

TEST_F(SessionsTest, ASessionEndsAfterAWeek) {
  const auto session = sessions_.redeem(sessions_.make_link_secret());
  ASSERT_TRUE(session);
  clock_.advance(7 * 24h - 1min);
  EXPECT_TRUE(sessions_.is_valid(*session));
  clock_.advance(2min);
  EXPECT_FALSE(sessions_.is_valid(*session));
}

TEST_F(SessionsTest, ASessionOutlivesTheServerThatMadeItButNotItsKey) {
  const auto session = sessions_.redeem(sessions_.make_link_secret());
  ASSERT_TRUE(session);
  EXPECT_TRUE(Sessions(clock_, "key").is_valid(*session));
  EXPECT_FALSE(Sessions(clock_, "another key").is_valid(*session));
}

TEST_F(SessionsTest, NothingElseIsASession) {
  const std::string session = sessions_.redeem(sessions_.make_link_secret()).value_or("");
  std::string longer = session;  // who wants to stay longer changes the year
  ASSERT_EQ(longer.substr(0, 4), "2026");
  longer.replace(0, 4, "2036");
  for (const std::string& forged :
       {std::string(), std::string("~"), std::string("~~"), session.substr(1), session + "0",
        session.substr(0, session.rfind('~') + 1), longer, sessions_.make_link_secret()}) {
    EXPECT_FALSE(sessions_.is_valid(forged)) << forged;
  }
  EXPECT_FALSE(sessions_.redeem(""));
  EXPECT_FALSE(sessions_.redeem(session)) << "a session is no link";
}

/// Keeps the one answer of the console.
class AnswerKeeper final : public http::ResponseWriter {
 public:
  awaitable<Result<>> send(http::Response response) override {
    answer = std::move(response);
    co_return Ok();
  }
  awaitable<Result<>> start(int, http::Headers) override { co_return unexpected(); }
  awaitable<Result<>> write(std::string) override { co_return unexpected(); }
  awaitable<Result<>> finish() override { co_return unexpected(); }
  awaitable<Result<std::unique_ptr<http::WebSocket>>> upgrade(std::string) override {
    upgraded = true;
    co_return unexpected();
  }
  bool answered() const override { return answer.has_value() || upgraded; }

  std::optional<http::Response> answer;
  bool upgraded = false;

 private:
  static Error unexpected() { return Error(Code::kInternal, "not in this test"); }
};

/// Nobody asks the cluster anything in these tests.
class NoApi final : public client::Api, public client::PodStreams {
 public:
  awaitable<Result<ObjectPtr>> get(Resource, Key) override { co_return nothing(); }
  awaitable<Result<client::Listing>> list(Resource, client::ListOptions) override {
    co_return nothing();
  }
  awaitable<Result<std::unique_ptr<client::Watch>>> watch(Resource, client::ListOptions,
                                                          std::string) override {
    co_return nothing();
  }
  awaitable<Result<ObjectPtr>> create(Resource, std::string, Json) override { co_return nothing(); }
  awaitable<Result<ObjectPtr>> update(Resource, Json) override { co_return nothing(); }
  awaitable<Result<ObjectPtr>> update_status(Resource, Json) override { co_return nothing(); }
  awaitable<Result<ObjectPtr>> patch(Resource, Key, client::PatchType, Json, std::string) override {
    co_return nothing();
  }
  awaitable<Result<>> remove(Resource, Key, client::DeleteOptions) override { co_return nothing(); }
  awaitable<Result<>> bind(std::vector<client::Binding>) override { co_return nothing(); }
  awaitable<Result<Json>> request_token(Key, Json) override { co_return nothing(); }
  awaitable<Result<std::unique_ptr<client::ByteStream>>> open_log(Key,
                                                                  client::LogOptions) override {
    co_return nothing();
  }
  awaitable<Result<std::vector<client::KeptLog>>> kept_logs(std::string) override {
    co_return nothing();
  }

 private:
  static Error nothing() { return Error(Code::kNotFound, "nothing here"); }
};

awaitable<void> answer_api(http::Request request, http::ResponseWriter& writer) {
  http::Response response;
  response.body = "api " + request.method + " " + request.path;
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

awaitable<Result<std::string>> make_app_link(AppAddress app) {
  if (app.key.name == "board") co_return "http://127.0.0.1:6482/login?token=once";
  co_return Error(Code::kNotFound, "tensorboard <" + app.key.name + "> not found");
}

class ConsoleTest : public testing::Test {
 protected:
  ConsoleTest() : clock_(loop_.executor()), console_(loop_.executor(), clock_, backend()) {
    console_.set_origin("127.0.0.1", 6481);
  }

  Backend backend() {
    const auto is_admin = [](const http::Request& request) {
      return request.headers.find("Authorization") == "Bearer secret";
    };
    return Backend{api_, api_, is_admin, answer_api, make_app_link, "key"};
  }
  http::Response call(const std::string& method, const std::string& path,
                      std::vector<Header> headers = {}) {
    http::Request request;
    request.method = method;
    request.target = path;
    const std::size_t mark = path.find('?');
    request.path = path.substr(0, mark);
    if (mark != std::string::npos) request.query = http::Query(path.substr(mark + 1));
    for (Header& header : headers) request.headers.add(std::move(header.first), header.second);
    if (!request.headers.find("Host")) request.headers.add("Host", "127.0.0.1:6481");
    AnswerKeeper writer;
    loop_.run(console_.handle(std::move(request), writer));
    upgraded_ = writer.upgraded;
    return writer.answer.value_or(http::Response{0, {}, ""});
  }
  /// Follows a fresh login link; the Cookie header that a browser would send from then on.
  Header log_in() {
    const std::string link = console_.make_login_link();
    const auto response = call("GET", link.substr(link.find("/login")));
    EXPECT_EQ(response.status, 200);
    const std::string cookie(response.headers.find("Set-Cookie").value_or(""));
    return {"Cookie", "theme=dark; " + cookie.substr(0, cookie.find(';'))};
  }

  TestLoop loop_;
  FakeClock clock_;
  NoApi api_;
  Console console_;
  bool upgraded_ = false;
};

TEST_F(ConsoleTest, ALinkMayLeadToAJob) {
  const auto page = [this](const std::string& job) {
    const std::string link = console_.make_login_link();
    return call("GET", link.substr(link.find("/login")) + "&job=" + job).body;
  };
  EXPECT_NE(page("vision/mnist").find("url=/#/jobs/vision/mnist\""), std::string::npos);
  for (const char* not_a_job : {"", "mnist", "a/b/c", "vision/%22onload=", "//evil.example/x"}) {
    EXPECT_NE(page(not_a_job).find("url=/\""), std::string::npos) << not_a_job;
  }
}

TEST_F(ConsoleTest, PagesArePackedForWhoUnpacksThem) {
  const http::Response plain = call("GET", "/");
  EXPECT_FALSE(plain.headers.find("Content-Encoding"));
  EXPECT_TRUE(plain.body.starts_with("<!doctype html>")) << plain.body.substr(0, 40);
  const http::Response packed = call("GET", "/", {{"Accept-Encoding", "gzip, br"}});
  EXPECT_EQ(packed.headers.find("Content-Encoding"), "gzip");
  EXPECT_EQ(packed.headers.find("Vary"), "Accept-Encoding");
  EXPECT_EQ(*http::unpack(packed.body), plain.body);
}

TEST_F(ConsoleTest, EveryAnswerCarriesTheSecurityHeaders) {
  const Header cookie = log_in();
  const std::string link = console_.make_login_link();
  const http::Response answers[] = {
      call("GET", "/"),
      call("HEAD", "/"),
      call("GET", "/jobs/some/page"),
      call("GET", "/assets/missing.js"),
      call("HEAD", "/assets/missing.js"),
      call("GET", "/api/v1/pods"),
      call("GET", "/api/v1/pods", {cookie}),
      call("GET", "/ws"),
      call("POST", "/"),
      call("GET", "/", {{"Host", "evil.example"}}),
      call("GET", "/api", {{"Origin", "http://evil.example"}}),
      call("GET", link.substr(link.find("/login"))),
      call("GET", "/login?token=wrong"),
      call("POST", "/login-links", {{"Authorization", "Bearer secret"}}),
  };
  std::set<int> seen;
  for (const http::Response& response : answers) {
    SCOPED_TRACE(response.status);
    seen.insert(response.status);
    const auto policy = response.headers.find("Content-Security-Policy");
    ASSERT_TRUE(policy);
    EXPECT_NE(policy->find("default-src 'none'"), std::string_view::npos);
    EXPECT_NE(policy->find("frame-ancestors 'none'"), std::string_view::npos);
    EXPECT_EQ(policy->find("unsafe-"), std::string_view::npos);
    EXPECT_EQ(response.headers.find("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(response.headers.find("Referrer-Policy"), "no-referrer");
  }
  EXPECT_EQ(seen, (std::set<int>{200, 401, 403, 404, 405, 421}));
}

TEST_F(ConsoleTest, IsServedUnderItsOwnNamesOnly) {
  EXPECT_EQ(call("GET", "/", {{"Host", "127.0.0.1:6481"}}).status, 200);
  EXPECT_EQ(call("GET", "/", {{"Host", "localhost:6481"}}).status, 200);
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:80", "evil.example:6481",
                           "127.0.0.1:6481.evil.example", "evil.example"}) {
    EXPECT_EQ(call("GET", "/", {{"Host", host}}).status, 421) << host;
  }
}

TEST_F(ConsoleTest, OtherSitesGetNothing) {
  const Header cookie = log_in();
  struct Case {
    const char* name;
    const char* value;
    int status;
  };
  const Case cases[] = {
      {"Origin", "http://127.0.0.1:6481", 200},
      {"Origin", "http://localhost:6481", 200},
      {"Origin", "https://127.0.0.1:6481", 403},
      {"Origin", "http://evil.example", 403},
      {"Origin", "null", 403},
      {"Sec-Fetch-Site", "same-origin", 200},
      {"Sec-Fetch-Site", "none", 200},
      {"Sec-Fetch-Site", "same-site", 403},
      {"Sec-Fetch-Site", "cross-site", 403},
  };
  for (const Case& expected : cases) {
    EXPECT_EQ(call("GET", "/api/v1/pods", {cookie, {expected.name, expected.value}}).status,
              expected.status)
        << expected.name << ": " << expected.value;
  }
  call("GET", "/ws", {cookie, kUpgrade, {"Origin", "http://evil.example"}});
  EXPECT_FALSE(upgraded_) << "browsers let any page open a WebSocket; only Origin tells";
  EXPECT_EQ(call("GET", "/", {{"Sec-Fetch-Site", "cross-site"}}).status, 200)
      << "a link to the front page works";
}

TEST_F(ConsoleTest, TheApiAndTheSocketAreForThoseWhoAreLoggedIn) {
  for (const char* path : {"/api", "/api/v1/pods", "/apis", "/apis/x/v1/y", "/openapi/v3",
                           "/openapi/v3/api/v1", "/ws"}) {
    EXPECT_EQ(call("GET", path, {kUpgrade}).status, 401) << path;
    EXPECT_EQ(call("GET", path, {{"Cookie", "trainyard_session=made-up"}}).status, 401) << path;
    EXPECT_FALSE(upgraded_) << path;
  }
  const Header cookie = log_in();
  EXPECT_EQ(call("DELETE", "/api/v1/pods", {cookie}).body, "api DELETE /api/v1/pods");
  EXPECT_EQ(call("GET", "/ws", {cookie}).status, 400) << "it speaks WebSocket only";
  call("GET", "/ws", {cookie, kUpgrade});
  EXPECT_TRUE(upgraded_);
  clock_.advance(8 * 24h);
  EXPECT_EQ(call("GET", "/api/v1/pods", {cookie}).status, 401);
}

TEST_F(ConsoleTest, TheCookieStaysWithTheBrowserAndThisSite) {
  const std::string link = console_.make_login_link();
  EXPECT_TRUE(link.starts_with("http://127.0.0.1:6481/login?token="));
  const auto response = call("GET", link.substr(link.find("/login")));
  const std::string cookie(response.headers.find("Set-Cookie").value_or(""));
  for (const char* part : {"trainyard_session=", "HttpOnly", "SameSite=Strict", "Path=/"}) {
    EXPECT_NE(cookie.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(response.headers.find("Cache-Control"), "no-store");
  const auto again = call("GET", link.substr(link.find("/login")));
  EXPECT_EQ(again.status, 401);
  EXPECT_FALSE(again.headers.find("Set-Cookie"));
}

TEST_F(ConsoleTest, LeavingTakesTheCookieBackUnlessAnotherSiteAsksForIt) {
  const auto left = call("POST", "/logout");
  EXPECT_EQ(left.status, 200);
  const std::string cookie(left.headers.find("Set-Cookie").value_or(""));
  EXPECT_TRUE(cookie.starts_with("trainyard_session=;")) << cookie;
  EXPECT_NE(cookie.find("Max-Age=0"), std::string::npos) << cookie;
  const auto forged = call("POST", "/logout", {{"Origin", "http://evil.example"}});
  EXPECT_EQ(forged.status, 403);
  EXPECT_FALSE(forged.headers.find("Set-Cookie"));
}

TEST_F(ConsoleTest, OnlyAdministratorsGetLoginLinks) {
  const auto given = call("POST", "/login-links", {{"Authorization", "Bearer secret"}});
  EXPECT_EQ(given.status, 200);
  EXPECT_NE(given.body.find("/login?token="), std::string::npos);
  for (const auto& refused :
       {call("POST", "/login-links"), call("POST", "/login-links", {log_in()}),
        call("GET", "/login-links", {{"Authorization", "Bearer secret"}})}) {
    EXPECT_EQ(refused.body.find("token="), std::string::npos);
  }
}

TEST_F(ConsoleTest, AClickInThePageOpensAnApp) {
  const Header mode{"Sec-Fetch-Mode", "navigate"};
  const Header tab{"Sec-Fetch-Dest", "document"};
  const Header here{"Sec-Fetch-Site", "same-origin"};
  const std::string board = "/open/vision/tensorboard/board";
  const auto stranger = call("GET", board, {mode, tab, here});
  EXPECT_EQ(stranger.status, 401);
  EXPECT_FALSE(stranger.headers.find("Location"));
  const Header cookie = log_in();
  const auto opened = call("GET", board, {cookie, mode, tab, here});
  EXPECT_EQ(opened.status, 303);
  EXPECT_EQ(opened.headers.find("Location"), "http://127.0.0.1:6482/login?token=once");
  EXPECT_EQ(opened.headers.find("Cache-Control"), "no-store");
  EXPECT_TRUE(opened.headers.find("Content-Security-Policy"));
  const auto gone = call("GET", "/open/vision/tensorboard/gone", {cookie, mode, tab, here});
  EXPECT_EQ(gone.status, 404);
  EXPECT_NE(gone.body.find("&lt;gone&gt;"), std::string::npos) << gone.body;
  EXPECT_EQ(call("GET", "/open/vision", {cookie, mode, tab, here}).status, 404);
}

TEST_F(ConsoleTest, NothingButAClickOpensAnApp) {
  const Header cookie = log_in();
  const Header mode{"Sec-Fetch-Mode", "navigate"};
  const Header tab{"Sec-Fetch-Dest", "document"};
  const Header here{"Sec-Fetch-Site", "same-origin"};
  const std::vector<std::vector<Header>> others{
      {cookie},             // a browser that tells nothing
      {cookie, mode, tab},  // not even where it is from
      {cookie, mode, tab, {"Sec-Fetch-Site", "cross-site"}},
      {cookie, mode, tab, {"Sec-Fetch-Site", "same-site"}},  // an app's page
      {cookie, mode, {"Sec-Fetch-Dest", "iframe"}, here},
      {cookie, {"Sec-Fetch-Mode", "cors"}, {"Sec-Fetch-Dest", "empty"}, here},
      {cookie, mode, tab, here, {"Origin", "http://evil.example"}},
      {cookie, mode, tab, here, {"Origin", "http://127.0.0.1:6482"}},
  };
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto refused = call("GET", "/open/vision/tensorboard/board", others[i]);
    EXPECT_EQ(refused.status, 403) << i;
    EXPECT_FALSE(refused.headers.find("Location")) << i;
  }
  EXPECT_EQ(call("POST", "/open/vision/tensorboard/board", {cookie, mode, tab, here}).status, 403);
}

TEST_F(ConsoleTest, EveryPathOfThePageIsThePageAndIsNeverKept) {
  const auto front = call("GET", "/");
  EXPECT_EQ(front.headers.find("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(front.headers.find("Cache-Control"), "no-store");
  EXPECT_EQ(call("GET", "/jobs/demo/mnist").body, front.body);
  EXPECT_EQ(call("GET", "/index.html").body, front.body);
  EXPECT_EQ(call("GET", "/assets/../index.html").status, 404);
}

TEST_F(ConsoleTest, DocumentsAreServedBelowTheirOwnFolder) {
  EXPECT_EQ(call("GET", "/docs").headers.find("Location"), "/docs/");
  EXPECT_EQ(call("GET", "/docs/zh").headers.find("Location"), "/docs/zh/");
  const auto first = call("GET", "/docs/");
  if (first.status == 404) GTEST_SKIP() << "this build has no documents";
  EXPECT_EQ(call("GET", "/docs/index.html").body, first.body);
  EXPECT_EQ(first.headers.find("Cache-Control"), "no-cache");
  EXPECT_EQ(first.headers.find("Content-Security-Policy"),
            call("GET", "/").headers.find("Content-Security-Policy"));
  for (const char* page : {"/docs/en/", "/docs/zh/", "/docs/en/ddp.html", "/docs/zh/search.json"}) {
    EXPECT_EQ(call("GET", page).status, 200) << page;
  }
  EXPECT_EQ(call("GET", "/docs/style.css").headers.find("Content-Type"), "text/css; charset=utf-8");
  for (const char* none : {"/docs/nothing", "/docs/../index.html", "/docs/en/../../index.html"}) {
    const auto missing = call("GET", none);
    EXPECT_EQ(missing.status, 404) << none;
    EXPECT_NE(missing.body.find("/docs/"), std::string::npos) << none;
  }
  EXPECT_EQ(call("GET", "/docs/", {{"Sec-Fetch-Site", "cross-site"}}).status, 403);
}

}  // namespace
}  // namespace trainyard::console
