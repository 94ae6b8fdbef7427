// Which paths are apps', and what of a header goes to them and comes from them.
#include "console/app_headers.h"

#include <gtest/gtest.h>

namespace trainyard::console {
namespace {

AppAddress board() {
  return *parse_app_target("/vision/tensorboard/board/");
}

TEST(AppAddress, IsTheFirstThreeStepsOfAPath) {
  for (const char* target : {"/vision/tensorboard/board", "/vision/tensorboard/board/",
                             "/vision/tensorboard/board/data/runs?x=/a/notebook/b#c"}) {
    const auto app = parse_app_target(target);
    ASSERT_TRUE(app) << target;
    EXPECT_EQ(app->key.ns, "vision");
    EXPECT_EQ(app->key.name, "board");
    EXPECT_EQ(app->kind, AppAddress::Kind::kTensorBoard);
    EXPECT_EQ(app->path(), "/vision/tensorboard/board");
  }
  EXPECT_EQ(parse_app_target("/a/notebook/b/lab")->resource(), contract::kNotebooks);
}

TEST(AppAddress, IsNothingElse) {
  for (const char* target :
       {"", "/", "/vision", "/vision/tensorboard", "/vision/tensorboard/", "/vision/pods/x/",
        "//tensorboard/x/", "/../tensorboard/x/", "/vision/tensorboard/../x",
        "/vision/tensorboard/%62oard/", "/vision%2Ftensorboard/board/", "/Vision/tensorboard/x/",
        "/a/tensorboard/b;c/", "http://127.0.0.1:6482/vision/tensorboard/board/", "*"}) {
    EXPECT_FALSE(parse_app_target(target)) << target;
  }
}

TEST(AppAddress, KnowsWhenItsSlashIsMissing) {
  EXPECT_TRUE(lacks_slash("/vision/tensorboard/board", board()));
  EXPECT_TRUE(lacks_slash("/vision/tensorboard/board?x=1", board()));
  EXPECT_FALSE(lacks_slash("/vision/tensorboard/board/", board()));
}

http::Headers passed(http::Headers headers) {
  http::Request request;
  request.headers = std::move(headers);
  request.peer = "127.0.0.1:4242";
  return request_headers_for_app(request);
}

TEST(RequestHeaders, NothingThatLetsTheAppActAsTheVisitorPasses) {
  const auto headers = passed({{"Host", "127.0.0.1:6482"},
                               {"Authorization", "Bearer secret"},
                               {"Cookie", "_xsrf=1; trainyard_app=secret;trainyard_session=secret"},
                               {"Cookie", "theme=dark; trainyard_app=again"},
                               {"Accept", "*/*"}});
  EXPECT_FALSE(headers.find("Authorization"));
  EXPECT_EQ(headers.find("Cookie"), "_xsrf=1; theme=dark");
  EXPECT_EQ(headers.find("Host"), "127.0.0.1:6482");
  EXPECT_EQ(headers.find("Accept"), "*/*");
  for (const auto& [name, value] : headers.all()) {
    EXPECT_EQ(value.find("secret"), std::string::npos) << name;
  }
}

TEST(RequestHeaders, ACookieOfOursAloneLeavesNone) {
  EXPECT_FALSE(passed({{"Cookie", "trainyard_app=x"}}).find("Cookie"));
}

TEST(RequestHeaders, WhatIsBetweenNeighboursEndsHere) {
  const auto headers = passed({{"Connection", "keep-alive, X-Mine"},
                               {"X-Mine", "1"},
                               {"Keep-Alive", "5"},
                               {"TE", "trailers"},
                               {"Transfer-Encoding", "chunked"},
                               {"Proxy-Authorization", "x"},
                               {"Upgrade", "h2c"},
                               {"Expect", "100-continue"},
                               {"X-Yours", "2"}});
  for (const char* name : {"Connection", "X-Mine", "Keep-Alive", "TE", "Transfer-Encoding",
                           "Proxy-Authorization", "Upgrade", "Expect"}) {
    EXPECT_FALSE(headers.find(name)) << name;
  }
  EXPECT_EQ(headers.find("X-Yours"), "2");
}

TEST(RequestHeaders, WhoIsAskingIsOursToSay) {
  const auto headers = passed({{"Host", "localhost:6482"},
                               {"X-Forwarded-For", "8.8.8.8"},
                               {"X-Forwarded-Proto", "https"},
                               {"Forwarded", "for=8.8.8.8"}});
  EXPECT_EQ(headers.find("X-Forwarded-For"), "127.0.0.1");
  EXPECT_EQ(headers.find("X-Forwarded-Proto"), "http");
  EXPECT_EQ(headers.find("X-Forwarded-Host"), "localhost:6482");
  EXPECT_FALSE(headers.find("Forwarded"));
}

TEST(RequestHeaders, AWebSocketsHandshakePasses) {
  const auto headers = passed({{"Connection", "keep-alive, upgrade"},
                               {"Upgrade", "websocket"},
                               {"Sec-WebSocket-Key", "k"},
                               {"Sec-WebSocket-Protocol", "v1"}});
  EXPECT_EQ(headers.find("Upgrade"), "websocket");
  EXPECT_EQ(headers.find("Sec-WebSocket-Key"), "k");
  EXPECT_EQ(headers.find("Sec-WebSocket-Protocol"), "v1");
}

std::string cookie(const std::string& set) {
  const auto headers = response_headers_for_visitor({{"Set-Cookie", set}}, board());
  return std::string(headers.find("Set-Cookie").value_or("(none)"));
}

TEST(ResponseHeaders, CookiesReachNoFurtherThanTheirApp) {
  const std::string own = "/vision/tensorboard/board/";
  EXPECT_EQ(cookie("a=1"), "a=1; Path=" + own);
  EXPECT_EQ(cookie("a=1; Path=/; HttpOnly; SameSite=Lax"),
            "a=1; HttpOnly; SameSite=Lax; Path=" + own);
  EXPECT_EQ(cookie("a=1; path=/vision/tensorboard/boards/x"), "a=1; Path=" + own);
  EXPECT_EQ(cookie("a=1; Path=/other/notebook/lab/"), "a=1; Path=" + own);
  EXPECT_EQ(cookie("a=1; Path=" + own + "api"), "a=1; Path=" + own + "api");
  EXPECT_EQ(cookie("a=1; Domain=127.0.0.1; Max-Age=5"), "a=1; Max-Age=5; Path=" + own);
}

TEST(ResponseHeaders, CookiesOfOursAreNotTheAppsToSet) {
  EXPECT_EQ(cookie("trainyard_session=x; Path=/"), "(none)");
  EXPECT_EQ(cookie("  trainyard_app = x"), "(none)");
  EXPECT_EQ(cookie("__Host-a=1; Path=/; Secure"), "(none)");
}

TEST(ResponseHeaders, NothingReachesBeyondTheAppsPath) {
  const auto headers = response_headers_for_visitor({{"Clear-Site-Data", "\"*\""},
                                                     {"Service-Worker-Allowed", "/"},
                                                     {"Referrer-Policy", "unsafe-url"},
                                                     {"Connection", "close"},
                                                     {"Transfer-Encoding", "chunked"},
                                                     {"Content-Length", "7"},
                                                     {"Content-Encoding", "gzip"},
                                                     {"Content-Type", "text/html"}},
                                                    board());
  for (const char* name :
       {"Clear-Site-Data", "Service-Worker-Allowed", "Connection", "Transfer-Encoding"}) {
    EXPECT_FALSE(headers.find(name)) << name;
  }
  EXPECT_EQ(headers.count("Referrer-Policy"), 1U);
  EXPECT_EQ(headers.find("Referrer-Policy"), "same-origin");
  EXPECT_EQ(headers.find("Content-Length"), "7");
  EXPECT_EQ(headers.find("Content-Encoding"), "gzip");
}

TEST(Cookies, AreFoundByTheirWholeName) {
  const http::Headers headers{{"Cookie", "xtrainyard_app=1; trainyard_app=a=b ; y=2"}};
  EXPECT_EQ(cookie_value(headers, "trainyard_app"), "a=b");
  EXPECT_EQ(cookie_value(headers, "y"), "2");
  EXPECT_EQ(cookie_value(headers, "trainyard"), "");
}

}  // namespace
}  // namespace trainyard::console
