// Login links, the sessions that they buy, and how these end.
#include "console/sessions.h"

#include "base/fake_clock.h"
#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "console/tickets.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;

class SessionsTest : public testing::Test {
 protected:
  SessionsTest() : clock_(loop_.executor()), sessions_(make()) {}

  Sessions make() { return {loop_.executor(), clock_, loop_.executor(), file_}; }
  std::optional<Sessions::Login> redeem(const std::string& link) {
    return loop_.run(sessions_.redeem(link));
  }
  Sessions::Login log_in(const std::string& who = "ann") {
    auto login = redeem(sessions_.make_link_secret(Visitor{who, "u-1", {"team"}, "s-1"}, "/place"));
    EXPECT_TRUE(login);
    return login.value_or(Sessions::Login());
  }

  TestFolder folder_;
  std::filesystem::path file_ = folder_.path() / "sessions" / "console.json";
  TestLoop loop_;
  FakeClock clock_;
  Sessions sessions_;
};

TEST_F(SessionsTest, ALinkWorksOnceForWhomItWasMade) {
  const std::string link =
      sessions_.make_link_secret(Visitor{"ann", "", {"team"}, "s-1"}, "/place");
  const auto login = redeem(link);
  ASSERT_TRUE(login);
  const LoginSessionPtr session = sessions_.find(login->cookie);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->visitor.name, "ann");
  EXPECT_EQ(session->place, "/place");
  EXPECT_FALSE(redeem(link));
  EXPECT_NE(sessions_.find(login->cookie), nullptr)
      << "a second visit does not log the first one out";
}

TEST_F(SessionsTest, ALinkWorksOnlySoon) {
  const std::string early = sessions_.make_link_secret({});
  clock_.advance(9min);
  EXPECT_TRUE(redeem(early));
  const std::string late = sessions_.make_link_secret({});
  clock_.advance(10min);
  EXPECT_FALSE(redeem(late));
}

TEST_F(SessionsTest, ACookieIsNoSecretAndASecretNoCookie) {
  const Sessions::Login login = log_in();
  EXPECT_TRUE(Sessions::has_secret(*login.session, login.secret));
  for (const std::string& wrong : {std::string(), login.cookie, login.secret + "0",
                                   login.session->secret_hash, log_in("bob").secret}) {
    EXPECT_FALSE(Sessions::has_secret(*login.session, wrong)) << wrong;
  }
  for (const std::string& wrong : {std::string(), login.secret, login.cookie + "0",
                                   login.session->cookie_hash, sessions_.make_link_secret({})}) {
    EXPECT_EQ(sessions_.find(wrong), nullptr) << wrong;
  }
}

TEST_F(SessionsTest, ASessionEndsAfterAWeek) {
  const Sessions::Login login = log_in();
  clock_.advance(7 * 24h - 1min);
  EXPECT_NE(sessions_.find(login.cookie), nullptr);
  clock_.advance(2min);
  EXPECT_EQ(sessions_.find(login.cookie), nullptr);
}

TEST_F(SessionsTest, ASessionOutlivesTheServerAndItsEndDoes) {
  const Sessions::Login stays = log_in();
  const Sessions::Login leaves = log_in();
  loop_.run(sessions_.end(leaves.session));
  Sessions next = make();
  next.load();
  const LoginSessionPtr found = next.find(stays.cookie);
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(Sessions::has_secret(*found, stays.secret));
  EXPECT_EQ(found->visitor.groups, std::vector<std::string>{"team"});
  EXPECT_EQ(found->visitor.secret_uid, "s-1");
  EXPECT_EQ(found->place, "/place");
  EXPECT_EQ(next.find(leaves.cookie), nullptr);
}

TEST_F(SessionsTest, WhatIsOnDiskLetsNobodyIn) {
  const Sessions::Login login = log_in();
  const auto text = read_file(file_);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find(login.cookie), std::string::npos);
  EXPECT_EQ(text->find(login.secret), std::string::npos);
}

TEST_F(SessionsTest, ADamagedFileLetsNobodyIn) {
  const Sessions::Login login = log_in();
  const std::string good = read_file(file_).value_or("");
  const std::string cut = good.substr(0, good.size() / 2);
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[1]"), std::string("\0\0", 2), cut,
        std::string(R"({"sessions":[{"cookie":"","secret":"","until":"2999-01-01T00:00:00Z"}]})"),
        std::string(R"({"sessions":[{}, 7]})")}) {
    ASSERT_TRUE(write_file(file_, bad, 0600));
    Sessions next = make();
    next.load();
    EXPECT_EQ(next.find(login.cookie), nullptr) << bad;
    EXPECT_EQ(next.find(""), nullptr) << bad;
  }
}

TEST_F(SessionsTest, OnePersonsSessionsEndTogether) {
  const Sessions::Login one = log_in("ann");
  const Sessions::Login other = log_in("ann");
  const Sessions::Login bobs = log_in("bob");
  loop_.run(sessions_.end_all_of("ann"));
  EXPECT_EQ(sessions_.find(one.cookie), nullptr);
  EXPECT_EQ(sessions_.find(other.cookie), nullptr);
  EXPECT_TRUE(one.session->ended);
  EXPECT_NE(sessions_.find(bobs.cookie), nullptr);
}

TEST_F(SessionsTest, NobodyFillsTheServerWithSessions) {
  const Sessions::Login bobs = log_in("bob");
  const Sessions::Login first = log_in("ann");
  clock_.advance(1s);
  for (std::size_t i = 0; i < Sessions::kMostOfOnePerson; ++i) log_in("ann");
  EXPECT_EQ(sessions_.find(first.cookie), nullptr) << "the oldest goes";
  EXPECT_TRUE(first.session->ended);
  EXPECT_NE(sessions_.find(bobs.cookie), nullptr);
  const std::string early = sessions_.make_link_secret(Visitor{"ann", "", {}, ""});
  clock_.advance(1s);
  for (std::size_t i = 0; i < Sessions::kMostOfOnePerson; ++i) {
    sessions_.make_link_secret(Visitor{"ann", "", {}, ""});
  }
  EXPECT_FALSE(redeem(early));
}

awaitable<void> wait_long(Clock& clock, bool* whole) {
  co_await clock.sleep_for(1h);
  *whole = true;
}

awaitable<void> fail() {
  throw std::runtime_error("failed");
  co_return;
}

TEST_F(SessionsTest, WorkIsGivenUpWhenItsSessionEnds) {
  const Sessions::Login login = log_in();
  bool whole = false;
  TaskGroup tasks(loop_.executor());
  tasks.spawn("work", until_ended(login.session, wait_long(clock_, &whole)));
  loop_.run(sessions_.end(login.session));
  loop_.run(tasks.stop());
  EXPECT_FALSE(whole);
  const Sessions::Login other = log_in();
  EXPECT_THROW(loop_.run(until_ended(other.session, fail())), std::runtime_error)
      << "a failure is not waited out";
}

TEST_F(SessionsTest, ATicketIsForOneDownloadOnceAndSoon) {
  Tickets tickets(clock_);
  const auto make = [&] { return tickets.make("ann", "/api/v1/x?a=1"); };
  const std::string ticket = make();
  EXPECT_TRUE(tickets.redeem(ticket, "ann", "/api/v1/x?a=1"));
  EXPECT_FALSE(tickets.redeem(ticket, "ann", "/api/v1/x?a=1"));
  EXPECT_FALSE(tickets.redeem(make(), "bob", "/api/v1/x?a=1"));
  EXPECT_FALSE(tickets.redeem(make(), "ann", "/api/v1/x?a=2"));
  EXPECT_FALSE(tickets.redeem("", "ann", "/api/v1/x?a=1"));
  const std::string late = make();
  clock_.advance(30s);
  EXPECT_FALSE(tickets.redeem(late, "ann", "/api/v1/x?a=1"));
}

}  // namespace
}  // namespace trainyard::console
