#include "node/log_file.h"

#include "base/fake_clock.h"
#include "base/task_group.h"
#include "base/test_folder.h"
#include "base/test_loop.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fcntl.h>
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

std::string decode(const LogOptions& options, std::string records) {
  LogDecoder decoder(options);
  return decoder.decode(records);
}

TEST(LogDecoder, GivesBackWhatTheContainerWrote) {
  EXPECT_EQ(decode({}, record(1, "one") + record(2, "") + record(3, "two  words ", 'F', "stderr")),
            "one\n\ntwo  words \n");
}

TEST(LogDecoder, JoinsALineThatWasWrittenInParts) {
  EXPECT_EQ(decode({}, record(1, "begin ", 'P') + record(2, "middle ", 'P') + record(3, "end")),
            "begin middle end\n");
}

TEST(LogDecoder, TimestampsStandAtTheBeginningOfLinesOnly) {
  LogOptions options;
  options.timestamps = true;
  EXPECT_EQ(decode(options, record(1, "a", 'P') + record(2, "b") + record(3, "c")),
            "2026-03-01T10:00:01.000000001Z ab\n2026-03-01T10:00:03.000000001Z c\n");
}

TEST(LogDecoder, KeepsAnIncompleteRecordForLater) {
  LogDecoder decoder({});
  const std::string whole = record(1, "one") + record(2, "two");
  std::string records = whole.substr(0, whole.size() - 3);
  EXPECT_EQ(decoder.decode(records), "one\n");
  records += whole.substr(whole.size() - 3);
  EXPECT_EQ(decoder.decode(records), "two\n");
  EXPECT_EQ(records, "");
}

TEST(LogDecoder, LeavesOutWhatIsOlderThanAsked) {
  LogOptions options;
  options.since = *parse_time("2026-03-01T10:00:02Z");
  EXPECT_EQ(decode(options, record(1, "old") + record(2, "now") + record(3, "new")), "now\nnew\n");
}

TEST(LogDecoder, StopsAtTheByteLimit) {
  LogOptions options;
  options.limit_bytes = 5;
  LogDecoder decoder(options);
  std::string records = record(1, "abc") + record(2, "def") + record(3, "ghi");
  EXPECT_EQ(decoder.decode(records), "abc\nd");
  EXPECT_TRUE(decoder.full());
  EXPECT_EQ(decoder.decode(records), "");
}

TEST(LogDecoder, ShowsALineThatIsNoRecordAsItIs) {
  EXPECT_EQ(decode({}, "garbage\n" + record(1, "one")), "garbage\none\n");
}

class LogFileTest : public testing::Test {
 protected:
  LogFileTest() : clock_(loop_.executor()), path_(folder_.path() / "log") {}

  void append(const std::string& text) {
    std::ofstream(path_, std::ios::app | std::ios::binary) << text;
  }
  /// As the shim does it: the report appears by rename.
  void end_run() {
    ended_ = true;
    std::ofstream(folder_.path() / ".exit.tmp") << "code=0\n";
    std::filesystem::rename(folder_.path() / ".exit.tmp", folder_.path() / "exit");
  }
  LogFile open(const LogOptions& options) {
    return LogFile(loop_.executor(), clock_, path_, options, [this] { return ended_; });
  }
  std::string read(LogFile& file) {
    const auto piece = loop_.run(file.read());
    EXPECT_TRUE(piece);
    return piece ? *piece : "";
  }
  /// The whole log of a run that has ended.
  std::string read_all(const LogOptions& options) {
    LogFile file = open(options);
    EXPECT_TRUE(file.open());
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
  std::filesystem::path path_;
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

TEST_F(LogFileTest, AFollowerGetsEveryByteOnceAndEndsWithTheRun) {
  append(record(1, "one"));
  LogOptions options;
  options.follow = true;
  LogFile file = open(options);
  ASSERT_TRUE(file.open());
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
    follower_ = std::make_unique<LogFile>(loop_.executor(), clock_, path_, options,
                                          [this] { return ended_; });
    EXPECT_TRUE(follower_->open());
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
