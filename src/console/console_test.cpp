// Who gets into the console, and what every answer carries.
#include "console/console.h"

#include "base/fake_clock.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "http/wire/gzip.h"
#include "object/json/json.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <set>

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;
using Header = std::pair<std::string, std::string>;

const Header kUpgrade{"Upgrade", "websocket"};
const Header kConnection{"Connection", "Upgrade"};

/// A browser's end of a WebSocket that says this and then waits.
class ScriptedSocket final : public http::WebSocket {
 public:
  ScriptedSocket(std::deque<std::string> says, std::vector<std::string>& heard, bool& closed,
                 const Executor& loop)
      : says_(std::move(says)), heard_(heard), closed_(closed), more_(loop) {}
  ~ScriptedSocket() override { closed_ = true; }

  awaitable<Result<Message>> read() override {
    while (says_.empty()) co_await more_.wait();
    Message message{false, says_.front()};
    says_.pop_front();
    co_return message;
  }
  awaitable<Result<>> write(Message message) override {
    heard_.push_back(std::move(message.data));
    co_return Ok();
  }
  awaitable<void> close() override {
    closed_ = true;
    co_return;
  }

 private:
  std::deque<std::string> says_;
  std::vector<std::string>& heard_;
  bool& closed_;
  Notifier more_;
};

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
  awaitable<Result<std::unique_ptr<http::WebSocket>>> upgrade(std::string with) override {
    subprotocol = std::move(with);
    if (socket == nullptr) co_return unexpected();
    co_return std::move(socket);
  }
  bool answered() const override { return answer.has_value() || subprotocol.has_value(); }

  std::optional<http::Response> answer;
  std::optional<std::string> subprotocol;  // of a WebSocket that was opened
  std::unique_ptr<http::WebSocket> socket;

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

awaitable<void> answer_api(Visitor visitor, http::Request request, http::ResponseWriter& writer) {
  http::Response response;
  response.body = visitor.name + " " + request.method + " " + request.target;
  for (const auto& [name, value] : request.query.all()) response.body += " " + name + "=" + value;
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

awaitable<Result<std::string>> make_app_link(Visitor visitor, AppAddress app) {
  if (app.key.name == "board") {
    co_return "http://abc.localhost:6482/login?token=for-" + visitor.name;
  }
  co_return Error(Code::kNotFound, "tensorboard <" + app.key.name + "> not found");
}

class ConsoleTest : public testing::Test {
 protected:
  ConsoleTest() : clock_(loop_.executor()), console_(loop_.executor(), clock_, backend()) {
    console_.set_origin("127.0.0.1", 6481);
  }

  Backend backend() {
    return Backend{api_,
                   api_,
                   answer_api,
                   make_app_link,
                   [this](std::string person) { return leave_apps(std::move(person)); },
                   [](std::string image) -> awaitable<Result<Json>> {
                     co_return Json(JsonObject{{"image", image}});
                   },
                   loop_.executor(),
                   ""};
  }
  awaitable<void> leave_apps(std::string person) {
    left_apps_.push_back(std::move(person));
    co_return;
  }
  static http::Request request_to(const std::string& method, const std::string& path,
                                  std::vector<Header> headers, std::string body = "") {
    http::Request request;
    request.method = method;
    request.target = path;
    request.body = std::move(body);
    const std::size_t mark = path.find('?');
    request.path = path.substr(0, mark);
    if (mark != std::string::npos) request.query = http::Query(path.substr(mark + 1));
    for (Header& header : headers) request.headers.add(std::move(header.first), header.second);
    if (!request.headers.find("Host")) request.headers.add("Host", "127.0.0.1:6481");
    return request;
  }
  http::Response call(const std::string& method, const std::string& path,
                      std::vector<Header> headers = {}, std::string body = "") {
    AnswerKeeper writer;
    loop_.run(
        console_.handle(request_to(method, path, std::move(headers), std::move(body)), writer));
    upgraded_ = writer.subprotocol.has_value();
    return writer.answer.value_or(http::Response{0, {}, ""});
  }
  std::string fresh_token() {
    const std::string link = console_.make_login_link(Visitor{"ann", "", {}, ""});
    const std::string start = "http://127.0.0.1:6481/login#token=";
    EXPECT_TRUE(link.starts_with(start)) << link;
    return link.substr(start.size());
  }
  http::Response send_token(const std::string& token, std::vector<Header> headers = {}) {
    return call("POST", "/login", std::move(headers), R"({"token":")" + token + R"("})");
  }
  /// The halves of a session, as headers.
  struct Login {
    Header cookie;
    Header secret;
  };
  Login log_in() {
    const auto response = send_token(fresh_token());
    EXPECT_EQ(response.status, 200);
    const std::string cookie(response.headers.find("Set-Cookie").value_or(""));
    const auto said = parse_json(response.body);
    return {{"Cookie", "theme=dark; " + cookie.substr(0, cookie.find(';'))},
            {"X-Trainyard-Secret", std::string(said ? string_at(*said, "secret") : "")}};
  }
  /// What a browser hears that opens a WebSocket and says these messages.
  std::vector<std::string> talk(const std::string& path, std::vector<Header> headers,
                                std::deque<std::string> says) {
    AnswerKeeper writer;
    std::vector<std::string> heard;
    writer.socket =
        std::make_unique<ScriptedSocket>(std::move(says), heard, closed_, loop_.executor());
    closed_ = false;
    headers.push_back(kUpgrade);
    headers.push_back(kConnection);
    TaskGroup tasks(loop_.executor());
    tasks.spawn("socket", console_.handle(request_to("GET", path, std::move(headers)), writer));
    loop_.run_ready();
    closed_by_us_ = closed_;
    if (meanwhile_) meanwhile_();
    loop_.run(tasks.stop());
    return heard;
  }

  TestLoop loop_;
  FakeClock clock_;
  NoApi api_;
  Console console_;
  bool upgraded_ = false;
  bool closed_ = false;        // the last WebSocket, at its end
  bool closed_by_us_ = false;  // before the test ended it
  std::function<void()> meanwhile_;
  std::vector<std::string> left_apps_;
};

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
  const Login login = log_in();
  const http::Response answers[] = {
      call("GET", "/"),
      call("HEAD", "/"),
      call("GET", "/jobs/some/page"),
      call("GET", "/assets/missing.js"),
      call("HEAD", "/assets/missing.js"),
      call("GET", "/api/v1/pods"),
      call("GET", "/api/v1/pods", {login.cookie, login.secret}),
      call("GET", "/ws"),
      call("POST", "/"),
      call("GET", "/", {{"Host", "evil.example"}}),
      call("GET", "/api", {{"Origin", "http://evil.example"}}),
      call("GET", "/login"),
      call("GET", "/open/vision/tensorboard/board"),
      send_token(fresh_token()),
      send_token("wrong"),
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

TEST_F(ConsoleTest, IsServedUnderItsOwnNameOnly) {
  EXPECT_EQ(call("GET", "/", {{"Host", "127.0.0.1:6481"}}).status, 200);
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:80", "evil.example:6481",
                           "127.0.0.1:6481.evil.example", "evil.example"}) {
    EXPECT_EQ(call("GET", "/", {{"Host", host}}).status, 421) << host;
  }
}

TEST_F(ConsoleTest, LocalhostLeadsToTheOneAddressThatNobodyElseCanTake) {
  const Header localhost{"Host", "localhost:6481"};
  const auto led = call("GET", "/login?x=1", {localhost});
  EXPECT_EQ(led.status, 307);
  EXPECT_EQ(led.headers.find("Location"), "http://127.0.0.1:6481/login?x=1");
  const Login login = log_in();
  EXPECT_EQ(call("GET", "/api/v1/pods", {localhost, login.cookie, login.secret}).status, 421);
  EXPECT_EQ(send_token(fresh_token(), {localhost}).status, 421);
}

TEST_F(ConsoleTest, OtherSitesGetNothing) {
  const Login login = log_in();
  struct Case {
    const char* name;
    const char* value;
    int status;
  };
  const Case cases[] = {
      {"Origin", "http://127.0.0.1:6481", 200},  {"Origin", "http://localhost:6481", 403},
      {"Origin", "https://127.0.0.1:6481", 403}, {"Origin", "http://127.0.0.1:8080", 403},
      {"Origin", "http://evil.example", 403},    {"Origin", "null", 403},
      {"Sec-Fetch-Site", "same-origin", 200},    {"Sec-Fetch-Site", "none", 200},
      {"Sec-Fetch-Site", "same-site", 403},      {"Sec-Fetch-Site", "cross-site", 403},
  };
  for (const Case& expected : cases) {
    const Header header{expected.name, expected.value};
    EXPECT_EQ(call("GET", "/api/v1/pods", {login.cookie, login.secret, header}).status,
              expected.status)
        << expected.name << ": " << expected.value;
    EXPECT_EQ(call("POST", "/logout", {login.cookie, {"X-Trainyard-Secret", "no"}, header}).status,
              expected.status == 200 ? 401 : 403);
  }
  call("GET", "/ws", {login.cookie, kUpgrade, kConnection, {"Origin", "http://evil.example"}});
  EXPECT_FALSE(upgraded_) << "browsers let any page open a WebSocket; only Origin tells";
  for (const char* entrance : {"/", "/login", "/open/vision/tensorboard/board"}) {
    EXPECT_EQ(call("GET", entrance, {{"Sec-Fetch-Site", "cross-site"}}).status, 200)
        << "a link to " << entrance << " works, and does nothing by itself";
  }
}

TEST_F(ConsoleTest, TheCookieAloneIsWorthNothing) {
  const Login login = log_in();
  const Login other = log_in();
  for (const char* path : {"/api", "/api/v1/pods", "/apis", "/apis/x/v1/y", "/openapi/v3",
                           "/openapi/v3/api/v1", "/ws"}) {
    EXPECT_EQ(call("GET", path).status, 401) << path;
    EXPECT_EQ(call("GET", path, {login.cookie}).status, 401) << path;
    EXPECT_EQ(call("GET", path, {login.secret}).status, 401) << path;
    EXPECT_EQ(call("GET", path, {login.cookie, other.secret}).status, 401) << path;
    EXPECT_EQ(call("GET", path, {{"Cookie", "trainyard_session=made-up"}, login.secret}).status,
              401);
    call("GET", path, {kUpgrade, kConnection, login.secret});
    EXPECT_FALSE(upgraded_) << path;
  }
  for (const char* path : {"/logout", "/tickets", "/image", "/open/vision/tensorboard/board"}) {
    EXPECT_EQ(call("POST", path, {login.cookie}).status, 401) << path;
    EXPECT_EQ(call("POST", path, {login.cookie, other.secret}).status, 401) << path;
  }
  EXPECT_EQ(call("DELETE", "/api/v1/pods", {login.cookie, login.secret}).body,
            "ann DELETE /api/v1/pods");
  EXPECT_EQ(call("GET", "/ws", {login.cookie, login.secret}).status, 400) << "WebSocket only";
  clock_.advance(8 * 24h);
  EXPECT_EQ(call("GET", "/api/v1/pods", {login.cookie, login.secret}).status, 401);
}

TEST_F(ConsoleTest, SaysWhatAnImageHas) {
  const Login login = log_in();
  EXPECT_EQ(call("POST", "/image", {login.cookie, login.secret}, R"({"image": "torch:2"})").body,
            R"({"image":"torch:2"})");
}

TEST_F(ConsoleTest, ATokenOpensNothingHere) {
  const Header token{"Authorization", "Bearer secret"};
  EXPECT_EQ(call("GET", "/api/v1/pods", {token}).status, 401);
  EXPECT_EQ(call("POST", "/login-links", {token}).status, 405);
}

TEST_F(ConsoleTest, AWebSocketsFirstMessageIsTheSecret) {
  const Login login = log_in();
  const std::string secret = R"({"secret":")" + login.secret.second + R"("})";
  const std::string log = R"({"id":2,"log":{"pod":"p"}})";
  const auto heard = talk("/ws", {login.cookie}, {secret, log});
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_NE(heard[0].find("nothing here"), std::string::npos) << "the pods' answer";
  EXPECT_FALSE(closed_by_us_);
  for (const std::string& first : {log, std::string("{}"), std::string(R"({"secret":"no"})"),
                                   std::string("{"), std::string(R"({"secret":""})")}) {
    const auto refused = talk("/ws", {login.cookie}, {first, log});
    ASSERT_EQ(refused.size(), 1U) << first;
    EXPECT_NE(refused[0].find("401"), std::string::npos) << refused[0];
    EXPECT_TRUE(closed_by_us_) << first;
  }
}

TEST_F(ConsoleTest, AWebSocketThatSaysNothingIsClosed) {
  const Login login = log_in();
  meanwhile_ = [this] {
    EXPECT_FALSE(closed_);
    clock_.advance(11s);
    loop_.run_ready();
    EXPECT_TRUE(closed_);
  };
  talk("/ws", {login.cookie}, {});
}

TEST_F(ConsoleTest, ACommandIsNotAskedForBeforeTheSecret) {
  const Login login = log_in();
  const Header offered{"Sec-WebSocket-Protocol", "v5.channel.trainyard.dev, v5.channel.k8s.io"};
  const std::string exec = "/api/v1/namespaces/vision/pods/p/exec?command=sh";
  const auto refused = talk(exec, {login.cookie, offered}, {"no"});
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].find("exec"), std::string::npos)
      << "the API has heard of it: " << refused[0];
  const auto heard =
      talk(exec, {login.cookie, offered}, {R"({"secret":")" + login.secret.second + R"("})"});
  ASSERT_EQ(heard.size(), 1U) << "this API refuses, in a message that says how a command ended";
  EXPECT_EQ(heard[0],
            "\x03"
            "ann GET " +
                exec + " command=sh");
}

TEST_F(ConsoleTest, ALoginLinkWorksOnceAndGivesBothHalves) {
  const std::string token = fresh_token();
  EXPECT_EQ(call("GET", "/login?token=" + token).body, call("GET", "/").body) << "only a page";
  const auto response = send_token(token);
  const std::string cookie(response.headers.find("Set-Cookie").value_or(""));
  for (const char* part : {"trainyard_session=", "HttpOnly", "SameSite=Strict", "Path=/"}) {
    EXPECT_NE(cookie.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(response.headers.find("Cache-Control"), "no-store");
  const auto again = send_token(token);
  EXPECT_EQ(again.status, 401);
  EXPECT_NE(again.body.find("trainyard open"), std::string::npos);
  EXPECT_FALSE(again.headers.find("Set-Cookie"));
}

TEST_F(ConsoleTest, LeavingEndsTheSessionOnTheServer) {
  const Login login = log_in();
  const Login other = log_in();
  bool closed = false;
  meanwhile_ = [&] {
    const auto left = call("POST", "/logout", {login.cookie, login.secret});
    EXPECT_EQ(left.status, 200);
    const std::string cookie(left.headers.find("Set-Cookie").value_or(""));
    EXPECT_TRUE(cookie.starts_with("trainyard_session=;")) << cookie;
    EXPECT_NE(cookie.find("Max-Age=0"), std::string::npos) << cookie;
    loop_.run_ready();
    closed = closed_;
  };
  talk("/ws", {login.cookie}, {R"({"secret":")" + login.secret.second + R"("})"});
  EXPECT_TRUE(closed) << "its live socket ends with it";
  EXPECT_EQ(left_apps_, std::vector<std::string>{"ann"});
  EXPECT_EQ(call("GET", "/api/v1/pods", {login.cookie, login.secret}).status, 401);
  EXPECT_EQ(call("GET", "/api/v1/pods", {other.cookie, other.secret}).status, 200);
}

TEST_F(ConsoleTest, ADownloadTakesATicketOnce) {
  const Login login = log_in();
  const std::string path = "/api/v1/namespaces/n/pods/p/log?container=c";
  const auto ticket = [&](const std::string& wanted) {
    const auto given =
        call("POST", "/tickets", {login.cookie, login.secret}, to_text(Json{{"path", wanted}}));
    const auto said = parse_json(given.body);
    return std::string(said ? string_at(*said, "ticket") : "");
  };
  const std::string first = ticket(path);
  EXPECT_EQ(call("GET", path + "&ticket=" + first).status, 401) << "not without the cookie";
  EXPECT_EQ(call("GET", path + "&ticket=" + first, {login.cookie}).body,
            "ann GET " + path + " container=c")
      << "the API hears nothing of tickets";
  EXPECT_EQ(call("GET", path + "&ticket=" + first, {login.cookie}).status, 401);
  EXPECT_EQ(call("GET", path + "&previous=true&ticket=" + ticket(path), {login.cookie}).status,
            401);
  EXPECT_EQ(call("DELETE", path + "&ticket=" + ticket(path), {login.cookie}).status, 401);
  EXPECT_EQ(call("GET", "/api/v1/x?ticket=" + ticket("/api/v1/x"), {login.cookie}).body,
            "ann GET /api/v1/x");
  EXPECT_EQ(ticket("/login"), "") << "nothing else is downloaded";
}

TEST_F(ConsoleTest, AnAppIsOpenedByWhoIsLoggedIn) {
  const Login login = log_in();
  const std::string board = "/open/vision/tensorboard/board";
  EXPECT_EQ(call("GET", board).body, call("GET", "/").body)
      << "the page, which asks with the secret";
  const auto opened = call("POST", board, {login.cookie, login.secret});
  EXPECT_EQ(opened.status, 200);
  EXPECT_NE(opened.body.find("http://abc.localhost:6482/login?token=for-ann"), std::string::npos);
  EXPECT_EQ(opened.headers.find("Cache-Control"), "no-store");
  const auto gone = call("POST", "/open/vision/tensorboard/gone", {login.cookie, login.secret});
  EXPECT_EQ(gone.status, 404);
  EXPECT_NE(gone.body.find("not found"), std::string::npos) << gone.body;
  EXPECT_EQ(call("POST", "/open/vision", {login.cookie, login.secret}).status, 404);
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
