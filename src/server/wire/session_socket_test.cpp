#include "server/wire/session_socket.h"

#include "base/notifier.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "object/json/json.h"

#include <gtest/gtest.h>

#include <deque>

namespace trainyard::server {
namespace {

/// What both ends of a session do, in the order in which they do it.
struct Script {
  explicit Script(const Executor& loop) : changed(loop) {}
  void notify() { changed.notify_all(); }

  std::deque<std::string> from_client;  // messages
  bool client_gone = false;
  std::deque<client::OutputPiece> output;
  bool ended = false;
  client::SessionEnd end;

  std::vector<std::string> to_client;
  std::string input;
  bool input_closed = false;
  bool hung_up = false;
  bool closed = false;
  std::string size;
  Notifier changed;
};

class ScriptedSession final : public client::PodSession {
 public:
  explicit ScriptedSession(Script& script) : script_(script) {}
  awaitable<Result<std::optional<client::OutputPiece>>> read() override {
    while (script_.output.empty() && !script_.ended && !script_.hung_up) {
      co_await script_.changed.wait();
    }
    if (script_.hung_up) co_return Error(Code::kCancelled, "hung up");
    if (script_.output.empty()) co_return std::nullopt;
    client::OutputPiece piece = std::move(script_.output.front());
    script_.output.pop_front();
    co_return piece;
  }
  awaitable<Result<>> write(std::string bytes) override {
    script_.input += bytes;
    script_.notify();
    co_return Ok();
  }
  void close_input() override {
    script_.input_closed = true;
    script_.notify();
  }
  void resize(std::uint16_t width, std::uint16_t height) override {
    script_.size = std::to_string(width) + "x" + std::to_string(height);
    script_.notify();
  }
  const client::SessionEnd& end() const override { return script_.end; }
  void hang_up() override {
    script_.hung_up = true;
    script_.notify();
  }

 private:
  Script& script_;
};

class ScriptedSocket final : public http::WebSocket {
 public:
  explicit ScriptedSocket(Script& script) : script_(script) {}
  awaitable<Result<Message>> read() override {
    while (script_.from_client.empty() && !script_.client_gone && !script_.closed) {
      co_await script_.changed.wait();
    }
    if (script_.from_client.empty()) co_return Error(Code::kCancelled, "gone");
    Message message{true, std::move(script_.from_client.front())};
    script_.from_client.pop_front();
    co_return message;
  }
  awaitable<Result<>> write(Message message) override {
    if (script_.client_gone) co_return Error(Code::kCancelled, "gone");
    script_.to_client.push_back(std::move(message.data));
    co_return Ok();
  }
  awaitable<void> close() override {
    script_.closed = true;
    script_.notify();
    co_return;
  }

 private:
  Script& script_;
};

class SessionSocketTest : public testing::Test {
 protected:
  SessionSocketTest() : script_(loop_.executor()) {
    options_.input = options_.output = options_.errors = true;
  }
  void run() {
    SessionSocket socket(loop_.executor(), std::make_unique<ScriptedSession>(script_), options_,
                         std::make_unique<ScriptedSocket>(script_), false);
    loop_.run(socket.run());
  }
  /// Where kubectl looks for the exit code.
  std::string exit_code() {
    const std::string last = script_.to_client.empty() ? " " : script_.to_client.back();
    EXPECT_EQ(last.front(), '\3');
    const auto status = parse_json(last.substr(1));
    if (!status || string_at(*status, "status") == "Success") return "0";
    return std::string(string_at(array_at(*status, "details.causes").at(0), "message"));
  }

  TestLoop loop_;
  Script script_;
  client::SessionOptions options_;
};

TEST_F(SessionSocketTest, CarriesOutputAndTheExitCode) {
  script_.output = {{client::OutputStream::kOut, "out"}, {client::OutputStream::kErr, "err"}};
  script_.ended = true;
  script_.end.exit_code = 7;
  run();
  ASSERT_EQ(script_.to_client.size(), 4U);
  EXPECT_EQ(script_.to_client[0], "\1") << "tells that the session is there";
  EXPECT_EQ(script_.to_client[1], "\1out");
  EXPECT_EQ(script_.to_client[2], "\2err");
  EXPECT_EQ(exit_code(), "7");
  EXPECT_TRUE(script_.closed);
}

TEST_F(SessionSocketTest, StreamsThatWereNotAskedForAreLeftOut) {
  options_.errors = false;
  script_.output = {{client::OutputStream::kErr, "err"}, {client::OutputStream::kOut, "out"}};
  script_.ended = true;
  run();
  ASSERT_EQ(script_.to_client.size(), 3U);
  EXPECT_EQ(script_.to_client[1], "\1out");
  EXPECT_EQ(exit_code(), "0");
}

TEST_F(SessionSocketTest, WhatCannotBeRunIsToldOnStderr) {
  script_.ended = true;
  script_.end = {127, "no such program"};
  run();
  EXPECT_EQ(script_.to_client.at(1), "\2no such program\n");
  EXPECT_EQ(exit_code(), "127");
}

TEST_F(SessionSocketTest, TakesInputSizesAndTheEndOfInput) {
  script_.from_client = {std::string("\0hello ", 7),
                         std::string("\0world", 6),
                         "\4{\"Width\":120,\"Height\":40}",
                         "\4nonsense",
                         "",
                         "\7unknown",
                         std::string("\377\0", 2)};
  script_.client_gone = true;
  run();
  EXPECT_EQ(script_.input, "hello world");
  EXPECT_EQ(script_.size, "120x40");
  EXPECT_TRUE(script_.input_closed);
}

TEST_F(SessionSocketTest, InputThatWasNotAskedForIsDropped) {
  options_.input = false;
  script_.from_client = {std::string("\0hello", 6)};
  script_.client_gone = true;
  run();
  EXPECT_EQ(script_.input, "");
}

TEST_F(SessionSocketTest, AClientThatGoesEndsTheSession) {
  script_.client_gone = true;
  run();
  EXPECT_TRUE(script_.hung_up);
}

TEST_F(SessionSocketTest, AClientThatCountsGetsNoMoreThanItCanShow) {
  const std::string much(300UL * 1024, 'x');
  for (int i = 0; i < 5; ++i) script_.output.push_back({client::OutputStream::kOut, much});
  SessionSocket socket(loop_.executor(), std::make_unique<ScriptedSession>(script_), options_,
                       std::make_unique<ScriptedSocket>(script_), true);
  TaskGroup tasks(loop_.executor());
  tasks.spawn("socket", socket.run());
  loop_.run_ready();
  EXPECT_EQ(script_.to_client.size(), 3U) << "the greeting and two pieces: 600 KiB are not shown";
  script_.from_client.push_back("\5" + std::to_string(2 * much.size()));
  script_.notify();
  loop_.run_ready();
  EXPECT_EQ(script_.to_client.size(), 5U) << "two more, since the first two are shown";
  script_.client_gone = true;
  script_.notify();
  loop_.run_until([&] { return tasks.size() == 0; });
  EXPECT_TRUE(script_.hung_up) << "a client that goes while the command waits ends it";
}

}  // namespace
}  // namespace trainyard::server
