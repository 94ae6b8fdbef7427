#include "shim/log_segments.h"

#include "shim/log/log_writer.h"
#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fcntl.h>

namespace trainyard::shim {
namespace {

class LogSegmentsTest : public testing::Test {
 protected:
  LogSegmentsTest() : dir_(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  LogSegments open(LogSizes sizes) {
    return LogSegments(
        dir_.get(),
        Fd(::openat(dir_.get(), "log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)), sizes);
  }
  std::string text(const char* name) const { return read_text(folder_.path() + "/" + name); }
  bool has(const char* name) const { return exists(folder_.path() + "/" + name); }

  TemporaryFolder folder_;
  Fd dir_;
};

TEST_F(LogSegmentsTest, BeginsTheNextFileWhenOneIsFull) {
  LogSegments log = open({10, 0});
  for (const char* record : {"12345\n", "67890\n", "abc\n"}) {
    log.write(record, std::strlen(record));
    log.roll_if_full(0);
  }
  EXPECT_EQ(text("log"), "12345\n67890\n");
  EXPECT_EQ(text("log.1"), "abc\n");
}

TEST_F(LogSegmentsTest, OldestFilesGoBeyondTheLimit) {
  LogSegments log = open({4, 12});
  for (const char* record : {"one\n", "two\n", "thr\n", "fou\n", "fiv\n"}) {
    log.write(record, 4);
    log.roll_if_full(0);
  }
  EXPECT_FALSE(has("log") || has("log.1") || has("log.2"));
  EXPECT_EQ(text("log.3") + text("log.4"), "fou\nfiv\n");
  EXPECT_EQ(text("log.5"), "");
}

TEST_F(LogSegmentsTest, TellsAfterHowManyLinesEachFileBeginsThoughTheOldestIsGone) {
  LogSegments log = open({4, 12});
  std::uint64_t lines = 0;
  for (const char* record : {"one\n", "two\n", "thr\n", "fou\n"}) {
    log.write(record, 4);
    log.roll_if_full(++lines);
  }
  EXPECT_FALSE(has("log"));
  EXPECT_EQ(text("log.lines"), "1 1\n2 2\n3 3\n4 4\n");
}

TEST_F(LogSegmentsTest, GrowsOnWhereNoFileCanBeMade) {
  LogSegments log = open({4, 0});
  write_text(folder_.path() + "/log.1", "in the way");
  log.write("one\n", 4);
  log.roll_if_full(0);
  log.write("two\n", 4);
  EXPECT_EQ(text("log"), "one\ntwo\n");
}

TEST_F(LogSegmentsTest, NoByteIsLostBetweenFiles) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  Fd pipe(ends[0]);
  Fd container(ends[1]);
  LogWriter writer(open({1000, 0}));
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    std::string line = std::string(static_cast<std::size_t>(i * 7 % 211), 'x') + "\n";
    ASSERT_TRUE(write_all(container.get(), line));
    writer.take(Stream::kStdout, pipe.get(), 0);
    expected += line;
  }
  ASSERT_TRUE(writer.finish());
  std::string records;
  int files = 0;
  for (std::uint64_t i = 0; has(LogSegments::name(i).c_str()); ++i, ++files) {
    records += text(LogSegments::name(i).c_str());
  }
  EXPECT_GT(files, 20);
  ParsedLog parsed = parse_log(records);
  EXPECT_EQ(parsed.broken, "");
  EXPECT_EQ(parsed.out, expected);
}

}  // namespace
}  // namespace trainyard::shim
