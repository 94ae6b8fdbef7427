#include "shim/log/log_writer.h"

#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace trainyard::shim {
namespace {

/// A pipe, a file, and a writer between them.
class LogWriterTest : public testing::Test {
 protected:
  LogWriterTest() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    pipe_ = Fd(ends[0]);
    container_ = Fd(ends[1]);
  }
  LogWriter writer() {
    Fd file(::open(path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    return LogWriter(LogSegments(AT_FDCWD, std::move(file), {}));
  }
  std::string path() const { return folder_.path() + "/log"; }
  ParsedLog log() const { return parse_log(read_text(path())); }

  TemporaryFolder folder_;
  Fd pipe_;
  Fd container_;
};

TEST_F(LogWriterTest, ShowsAnUnfinishedLineAfterSilence) {
  LogWriter writer = this->writer();
  ASSERT_TRUE(write_all(container_.get(), "50%"));
  EXPECT_EQ(writer.take(Stream::kStdout, pipe_.get(), 1000), LogWriter::Took::kSomething);
  EXPECT_EQ(writer.take(Stream::kStdout, pipe_.get(), 1000), LogWriter::Took::kNothing);
  EXPECT_EQ(writer.next_flush_ms(), 1100);
  writer.flush_silent(1099);
  EXPECT_EQ(log().out, "");
  writer.flush_silent(1100);
  EXPECT_EQ(log().out, "50%");
  EXPECT_EQ(writer.next_flush_ms(), std::nullopt);
}

TEST_F(LogWriterTest, ReportsTheEndOfTheStream) {
  LogWriter writer = this->writer();
  container_.reset();
  EXPECT_EQ(writer.take(Stream::kStderr, pipe_.get(), 0), LogWriter::Took::kEnd);
  EXPECT_TRUE(writer.finish());
}

// A limit on the file's size stands in for the full disk: write() fails in the same way.
TEST_F(LogWriterTest, KeepsBytesThatTheDiskRefuses) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto handler = ::signal(SIGXFSZ, SIG_IGN);
  LogWriter writer = this->writer();
  std::string text = std::string(30'000, 'a') + "\n" + std::string(30'000, '\n') + "end";
  ASSERT_TRUE(write_all(container_.get(), text));
  rlimit small{5'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  writer.take(Stream::kStdout, pipe_.get(), 0);
  EXPECT_TRUE(writer.is_stuck());
  writer.flush_silent(5);
  EXPECT_TRUE(writer.is_stuck());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  writer.flush_silent(10);
  EXPECT_FALSE(writer.is_stuck());
  EXPECT_TRUE(writer.finish());
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(log().broken, "");
  EXPECT_EQ(log().out, text);
}

}  // namespace
}  // namespace trainyard::shim
