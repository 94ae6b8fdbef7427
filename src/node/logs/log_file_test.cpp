#include "node/logs/log_file.h"

#include "base/fake_clock.h"
#include "base/files/test_folder.h"
#include "base/task_group.h"
#include "base/test_loop.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace trainyard::node {
namespace {

using client::LogOptions;
using namespace std::chrono_literals;

/// A record of second `second` of the test's minute.
std::string record(int second, const std::string& text, char tag = 'F',
                   const char* stream = "stdout") {
  return fmt::format("2026-03-01T10:00:{:02}.000000001Z {} {} {}\n", second, stream, tag, text);
}

class LogFileTest : public testing::Test {
 protected:
  LogFileTest() : clock_(loop_.executor()) {}

  void append(const std::string& text, const char* file = "log") {
    std::ofstream(folder_.path() / file, std::ios::app | std::ios::binary) << text;
  }
  /// As the shim does it: the report appears by rename.
  void end_run() {
    ended_ = true;
    std::ofstream(folder_.path() / ".exit.tmp") << "code=0\n";
    std::filesystem::rename(folder_.path() / ".exit.tmp", folder_.path() / "exit");
  }
  LogFile open(const LogOptions& options) {
    return LogFile(loop_.executor(), clock_, folder_.path(), options, [this] { return ended_; });
  }
  std::string read(LogFile& file) {
    const auto piece = loop_.run(file.read());
    EXPECT_TRUE(piece);
    return piece ? *piece : "";
  }
  /// The whole log of a run that has ended.
  std::string read_all(const LogOptions& options) {
    LogFile file = open(options);
    EXPECT_TRUE(loop_.run(file.open()));
    std::string all;
    for (std::string piece = read(file); !piece.empty(); piece = read(file)) all += piece;
    return all;
  }
  std::string tail(std::int64_t lines) {
    LogOptions options;
    options.tail_lines = lines;
    return read_all(options);
  }

  TestLoop loop_;
  FakeClock clock_;
  TestFolder folder_;
  bool ended_ = false;
};

TEST_F(LogFileTest, ReadsAllThatIsThereAndEnds) {
  EXPECT_EQ(read_all({}), "") << "no file yet";
  append(record(1, "one") + record(2, "two"));
  EXPECT_EQ(read_all({}), "one\ntwo\n");
}

TEST_F(LogFileTest, ReadsALargeLogByteForByte) {
  std::string expected;
  for (int i = 0; i < 4000; ++i) {
    const std::string line(static_cast<std::size_t>(i % 97), static_cast<char>('a' + i % 26));
    append(record(i % 60, line));
    expected += line + "\n";
  }
  EXPECT_TRUE(read_all({}) == expected);
}

TEST_F(LogFileTest, TailsCountLinesNotRecords) {
  append(record(1, "one") + record(2, "tw", 'P') + record(3, "o") + record(4, "three"));
  EXPECT_EQ(tail(0), "");
  EXPECT_EQ(tail(1), "three\n");
  EXPECT_EQ(tail(2), "two\nthree\n");
  EXPECT_EQ(tail(3), "one\ntwo\nthree\n");
  EXPECT_EQ(tail(9), "one\ntwo\nthree\n");
}

TEST_F(LogFileTest, AnUnfinishedLineIsTheLastOne) {
  append(record(1, "one") + record(2, "two") + record(3, "50%", 'P') + record(4, "60%", 'P'));
  EXPECT_EQ(tail(0), "");
  EXPECT_EQ(tail(1), "50%60%");
  EXPECT_EQ(tail(2), "two\n50%60%");
}

TEST_F(LogFileTest, TailsOfOneStreamCountItsLines) {
  append(record(1, "a") + record(2, "x", 'F', "stderr") + record(3, "b") +
         record(4, "y", 'F', "stderr") + record(5, "c"));
  LogOptions options;
  options.tail_lines = 2;
  options.stream = client::OutputStream::kErr;
  EXPECT_EQ(read_all(options), "x\ny\n");
}

TEST_F(LogFileTest, ReadsFromATimeOn) {
  append(record(1, "one") + record(2, "two"));
  append(record(3, "three") + record(4, "four"), "log.1");
  for (const auto& [since, expected] : std::vector<std::pair<const char*, const char*>>{
           {"2026-03-01T10:00:00Z", "one\ntwo\nthree\nfour\n"},
           {"2026-03-01T10:00:02Z", "two\nthree\nfour\n"},
           {"2026-03-01T10:00:03Z", "three\nfour\n"},
           {"2026-03-01T10:00:04Z", "four\n"},
           {"2026-03-01T10:00:05Z", ""}}) {
    LogOptions options;
    options.since = *parse_time(since);
    EXPECT_EQ(read_all(options), expected) << since;
  }
}

TEST_F(LogFileTest, TailsReachBackBeyondOnePieceOfTheFile) {
  std::string all;
  for (int i = 0; i < 3000; ++i) all += record(i % 60, fmt::format("line {} {:060}", i, 0));
  append(all);
  for (const int lines : {1, 600, 601, 2999, 3000}) {
    const std::string text = tail(lines);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), lines);
    EXPECT_TRUE(text.starts_with(fmt::format("line {} ", 3000 - lines))) << lines;
  }
}

TEST_F(LogFileTest, ReadsOnIntoTheNextFile) {
  append(record(1, "one") + record(2, "tw", 'P'));
  append(record(3, "o"), "log.1");
  append(record(4, "three"), "log.2");
  EXPECT_EQ(read_all({}), "one\ntwo\nthree\n");
  EXPECT_EQ(tail(1), "three\n");
  EXPECT_EQ(tail(2), "two\nthree\n");
  EXPECT_EQ(tail(3), "one\ntwo\nthree\n");
}

TEST_F(LogFileTest, BeginsWithTheOldestFileThatIsLeft) {
  append(record(4, "four"), "log.9");
  append(record(5, "five"), "log.10");
  EXPECT_EQ(read_all({}), "four\nfive\n");
}

TEST_F(LogFileTest, FollowsOverTheBordersOfFiles) {
  append(record(1, "one"));
  LogOptions options;
  options.follow = true;
  LogFile file = open(options);
  ASSERT_TRUE(loop_.run(file.open()));
  EXPECT_EQ(read(file), "one\n");
  append(record(2, "two"));
  append(record(3, "three"), "log.1");
  EXPECT_EQ(read(file), "two\n");
  EXPECT_EQ(read(file), "three\n");
  // Two files on, and those between are gone: what is left comes.
  append(record(4, "four"), "log.2");
  append(record(5, "five"), "log.3");
  for (const char* gone : {"log", "log.1", "log.2"}) {
    std::filesystem::remove(folder_.path() / gone);
  }
  EXPECT_EQ(read(file), "five\n");
  end_run();
  EXPECT_EQ(read(file), "");
}

TEST_F(LogFileTest, ARecordThatDeathCutOffIsShownWhenTheRunHasEnded) {
  append(record(1, "one") + record(2, "half a line").substr(0, 44));
  EXPECT_EQ(read_all({}), "one\n") << "it may still be being written";
  end_run();
  EXPECT_EQ(read_all({}), "one\nhalf");
}

TEST_F(LogFileTest, AFollowerGetsEveryByteOnceAndEndsWithTheRun) {
  append(record(1, "one"));
  LogOptions options;
  options.follow = true;
  LogFile file = open(options);
  ASSERT_TRUE(loop_.run(file.open()));
  EXPECT_EQ(read(file), "one\n");
  append(record(2, "two").substr(0, 10));
  append(record(2, "two").substr(10));
  EXPECT_EQ(read(file), "two\n");
  append(record(3, "last"));
  end_run();
  EXPECT_EQ(read(file), "last\n");
  EXPECT_EQ(read(file), "");
}

awaitable<void> read_once(LogFile& file, std::optional<std::string>& piece) {
  auto got = co_await file.read();
  piece = std::move(got).value_or("failed");
}

/// A follower whose reads are waited for only as long as the test wants.
class LogFollowerTest : public LogFileTest {
 protected:
  LogFollowerTest() : tasks_(loop_.executor()) {}
  void TearDown() override { loop_.run(tasks_.stop()); }

  void open_follower(LogOptions options = {}) {
    options.follow = true;
    follower_ = std::make_unique<LogFile>(loop_.executor(), clock_, folder_.path(), options,
                                          [this] { return ended_; });
    EXPECT_TRUE(loop_.run(follower_->open()));
  }
  void begin_read() {
    piece_.reset();
    tasks_.spawn("reader", read_once(*follower_, piece_));
    loop_.run_ready();
    EXPECT_FALSE(piece_) << "there is nothing new to tell";
  }
  std::string end_read() {
    loop_.run_until([&] { return piece_.has_value(); });
    return *piece_;
  }

  std::unique_ptr<LogFile> follower_;
  TaskGroup tasks_;
  std::optional<std::string> piece_;
};

TEST_F(LogFollowerTest, WakesUpWhenSomethingHappens) {
  append(record(1, "one"));
  LogOptions only_new;
  only_new.tail_lines = 0;
  open_follower(only_new);
  begin_read();
  append(record(2, "two"));
  EXPECT_EQ(end_read(), "two\n");
  begin_read();
  end_run();
  EXPECT_EQ(end_read(), "");
}

TEST_F(LogFollowerTest, WaitsForALogThatIsNotThereYet) {
  open_follower();
  begin_read();
  append(record(1, "one"));
  clock_.advance(1s);
  EXPECT_EQ(end_read(), "one\n");
}

TEST_F(LogFollowerTest, EndsWithARunThatLeftNoReport) {
  append(record(1, "one"));
  LogOptions only_new;
  only_new.tail_lines = 0;
  open_follower(only_new);
  begin_read();
  ended_ = true;
  clock_.advance(2s);
  EXPECT_EQ(end_read(), "");
}

}  // namespace
}  // namespace trainyard::node
