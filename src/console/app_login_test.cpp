// Names, links and cookies of apps: each for one visitor and one app.
#include "console/app_login.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"

#include <gtest/gtest.h>

namespace trainyard::console {
namespace {

class AppLoginTest : public testing::Test {
 protected:
  AppLoginTest()
      : clock_(loop_.executor()),
        sessions_(loop_.executor(), clock_, loop_.executor(), ""),
        login_(sessions_, "key") {}

  std::optional<AppLogin::Entry> redeem(const std::string& secret, const std::string& label) {
    return loop_.run(login_.redeem(secret, label));
  }
  std::string label() const { return login_.label_of(board_, ann_); }
  std::string log_in() {
    const auto entry = redeem(login_.make_link_secret(board_, ann_), label());
    EXPECT_TRUE(entry);
    return entry ? cookie_of(entry->set_cookie) : "";
  }
  static std::string cookie_of(const std::string& header) {
    const std::size_t start = header.find('=') + 1;
    return header.substr(start, header.find(';') - start);
  }

  TestLoop loop_;
  FakeClock clock_;
  Sessions sessions_;
  AppLogin login_;
  AppAddress board_ = *parse_app_target("/vision/tensorboard/board");
  Visitor ann_{"ann", "u-1", {"team", "system:authenticated"}, "s-1"};
};

TEST_F(AppLoginTest, TheCookieSaysWhoItIsAndGoesToTheAppAlone) {
  const auto entry = redeem(login_.make_link_secret(board_, ann_), label());
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->app, board_);
  for (const char* part :
       {"trainyard_app=", "; Path=/vision/tensorboard/board;", "; HttpOnly", "; SameSite=Strict"}) {
    EXPECT_NE(entry->set_cookie.find(part), std::string::npos) << entry->set_cookie;
  }
  EXPECT_EQ(entry->set_cookie.find("Domain"), std::string::npos) << "no other host gets it";
  const auto session = login_.session_of(cookie_of(entry->set_cookie), board_, label());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->visitor.name, "ann");
  EXPECT_EQ(session->visitor.uid, "u-1");
  EXPECT_EQ(session->visitor.secret_uid, "s-1");
  EXPECT_EQ(session->visitor.groups, ann_.groups);
}

TEST_F(AppLoginTest, ACookieIsGoodForOneAppAtItsOwnName) {
  const std::string cookie = log_in();
  for (const char* target :
       {"/vision/tensorboard/other", "/vision/notebook/board", "/speech/tensorboard/board"}) {
    const AppAddress other = *parse_app_target(target);
    EXPECT_EQ(login_.session_of(cookie, other, label()), nullptr) << target;
    EXPECT_EQ(login_.session_of(cookie, other, login_.label_of(other, ann_)), nullptr) << target;
    EXPECT_EQ(login_.session_of(cookie, board_, login_.label_of(other, ann_)), nullptr) << target;
  }
  const Visitor bob{"bob", "u-2", {}, ""};
  EXPECT_EQ(login_.session_of(cookie, board_, login_.label_of(board_, bob)), nullptr);
  EXPECT_EQ(login_.session_of(cookie, board_, ""), nullptr);
}

TEST_F(AppLoginTest, NamesAreALabelThatNobodyGuesses) {
  EXPECT_EQ(label().size(), 32U);
  EXPECT_EQ(label().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(AppLogin(sessions_, "key").label_of(board_, ann_), label()) << "it outlives the server";
  EXPECT_NE(AppLogin(sessions_, "other").label_of(board_, ann_), label());
  EXPECT_NE(login_.label_of(board_, Visitor{"bob", "u-1", {}, "s-1"}), label());
  EXPECT_NE(login_.label_of(board_, Visitor{"ann", "u-1", {}, "s-2"}), label())
      << "another person of that name";
}

TEST_F(AppLoginTest, ALinkWorksOnceAndAtItsOwnName) {
  const std::string secret = login_.make_link_secret(board_, ann_);
  EXPECT_TRUE(redeem(secret, label()));
  EXPECT_FALSE(redeem(secret, label()));
  const std::string elsewhere = login_.make_link_secret(board_, ann_);
  EXPECT_FALSE(redeem(elsewhere, std::string(32, '0')));
  EXPECT_FALSE(redeem(elsewhere, label())) << "and is spent then";
}

}  // namespace
}  // namespace trainyard::console
