// Links and cookies of apps: each for one visitor and one app.
#include "console/app_login.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"

#include <gtest/gtest.h>

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;

class AppLoginTest : public testing::Test {
 protected:
  AppLoginTest() : clock_(loop_.executor()), login_(clock_, "key") {}

  std::string log_in() {
    const auto entry = login_.redeem(login_.make_link_secret(board_, ann_));
    EXPECT_TRUE(entry);
    return entry ? cookie_of(entry->set_cookie) : "";
  }
  static std::string cookie_of(const std::string& header) {
    const std::size_t start = header.find('=') + 1;
    return header.substr(start, header.find(';') - start);
  }

  TestLoop loop_;
  FakeClock clock_;
  AppLogin login_;
  AppAddress board_ = *parse_app_target("/vision/tensorboard/board");
  Visitor ann_{"ann", "u-1", {"team", "system:authenticated"}, "s-1"};
};

TEST_F(AppLoginTest, TheCookieSaysWhoItIsAndGoesToTheAppAlone) {
  const auto entry = login_.redeem(login_.make_link_secret(board_, ann_));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->app, board_);
  for (const char* part :
       {"trainyard_app=", "; Path=/vision/tensorboard/board;", "; HttpOnly", "; SameSite=Strict"}) {
    EXPECT_NE(entry->set_cookie.find(part), std::string::npos) << entry->set_cookie;
  }
  const auto visitor = login_.visitor_of(cookie_of(entry->set_cookie), board_);
  ASSERT_TRUE(visitor);
  EXPECT_EQ(visitor->name, "ann");
  EXPECT_EQ(visitor->uid, "u-1");
  EXPECT_EQ(visitor->secret_uid, "s-1");
  EXPECT_EQ(visitor->groups, ann_.groups);
}

TEST_F(AppLoginTest, ACookieIsGoodForOneApp) {
  const std::string cookie = log_in();
  for (const char* other :
       {"/vision/tensorboard/other", "/vision/notebook/board", "/speech/tensorboard/board"}) {
    EXPECT_FALSE(login_.visitor_of(cookie, *parse_app_target(other))) << other;
  }
}

TEST_F(AppLoginTest, ALinkWorksOnce) {
  const std::string secret = login_.make_link_secret(board_, ann_);
  EXPECT_TRUE(login_.redeem(secret));
  EXPECT_FALSE(login_.redeem(secret));
}

TEST_F(AppLoginTest, TheConsolesCookiesAreNoneHereAndNotTheOtherWayRound) {
  Sessions console(clock_, "key");
  const auto session = console.redeem(console.make_link_secret());
  ASSERT_TRUE(session);
  EXPECT_FALSE(login_.visitor_of(*session, board_));
  EXPECT_FALSE(console.is_valid(log_in()));
}

TEST_F(AppLoginTest, ACookieEndsAndCannotBeChanged) {
  const std::string cookie = log_in();
  std::string forged = cookie;
  char& changed = forged[forged.find('~') + 4];
  changed = changed == 'x' ? 'y' : 'x';
  EXPECT_FALSE(login_.visitor_of(forged, board_));
  EXPECT_FALSE(login_.visitor_of("", board_));
  EXPECT_TRUE(AppLogin(clock_, "key").visitor_of(cookie, board_)) << "it outlives the server";
  clock_.advance(7 * 24h + 1s);
  EXPECT_FALSE(login_.visitor_of(cookie, board_));
}

}  // namespace
}  // namespace trainyard::console
