#include "node/logs/line_index.h"

#include "base/files/test_folder.h"
#include "node/logs/line_walk.h"
#include "node/logs/log_segments.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace trainyard::node {
namespace {

/// A log of many files with lines in pieces, and what a reader should see of it.
class LineIndexTest : public testing::Test {
 protected:
  static std::string stamp(int i) {
    return fmt::format("2026-03-01T10:{:02}:{:02}.{:06}000Z", i / 3600 % 60, i / 60 % 60, i);
  }
  void record(const std::string& stamp, char tag, const std::string& text) {
    written_ += stamp + " stdout " + tag + " " + text + "\n";
  }
  /// As the shim does: pieces of many records.
  void write_out() {
    std::ofstream(folder_.path() / segment_name(segment_), std::ios::app | std::ios::binary)
        << written_;
    written_.clear();
  }
  void line(const std::string& text) {
    const std::string time = stamp(static_cast<int>(lines_.size()));
    const bool pieces = lines_.size() % 7 == 3;
    if (pieces) record(time, 'P', "piece ");
    record(time, 'F', text);
    lines_.push_back((pieces ? "piece " : "") + text);
  }
  void next_file() {
    write_out();
    ++segment_;
    std::ofstream(folder_.path() / kLineNotes, std::ios::app)
        << segment_ << ' ' << lines_.size() << '\n';
  }
  client::LogLines read(std::int64_t from, std::int64_t to, bool times = false) {
    write_out();
    auto lines = read_lines(index_, folder_.path(), {from, to}, times);
    EXPECT_TRUE(lines);
    return *std::move(lines);
  }
  client::LogFindings find(client::LogQuestion question) {
    write_out();
    auto found = find_lines(index_, folder_.path(), question);
    EXPECT_TRUE(found) << found.error().message();
    return *std::move(found);
  }

  TestFolder folder_;
  LineIndex index_{folder_.path()};
  std::uint64_t segment_ = 0;
  std::vector<std::string> lines_;
  std::string written_;
};

TEST_F(LineIndexTest, FindsEveryLineByItsNumberWhereverItIs) {
  for (int file = 0; file < 3; ++file) {
    if (file > 0) next_file();
    // Long enough for several marks in a file.
    for (int i = 0; i < 9000; ++i)
      line(fmt::format("line {} {}", i, std::string(static_cast<std::size_t>(i % 90), 'x')));
    for (const std::size_t number : {std::size_t{1}, lines_.size() / 2, lines_.size() - 1}) {
      const auto some =
          read(static_cast<std::int64_t>(number), static_cast<std::int64_t>(number) + 1);
      EXPECT_EQ(some.text, lines_[number - 1] + "\n" + lines_[number] + "\n") << number;
    }
  }
  const auto all = static_cast<std::int64_t>(lines_.size());
  for (std::int64_t number = 1; number <= all; number += 311) {
    EXPECT_EQ(read(number, number).text, lines_[static_cast<std::size_t>(number - 1)] + "\n");
  }
  EXPECT_EQ(read(1, 0).extent.last, all);
  EXPECT_EQ(read(all + 5, all + 9).text, "");
  EXPECT_EQ(read(2, 2, true).text, stamp(1) + " " + lines_[1] + "\n");
}

TEST_F(LineIndexTest, NumbersAreTheFilesThoughItsBeginningIsGone) {
  for (int i = 0; i < 100; ++i) line(fmt::format("a{}", i));
  next_file();
  for (int i = 0; i < 100; ++i) line(fmt::format("b{}", i));
  std::filesystem::remove(folder_.path() / "log");
  const auto all = read(1, 101);
  EXPECT_EQ(all.extent.kept, 101);
  EXPECT_EQ(all.extent.last, 200);
  EXPECT_EQ(all.first, 101);
  EXPECT_EQ(all.text, "b0\n");
  line("more");
  EXPECT_EQ(read(201, 300).text, "more\n");
}

TEST_F(LineIndexTest, CountsTheFilesOfAShimThatNotedNothing) {
  for (int i = 0; i < 50; ++i) line("a");
  next_file();
  for (int i = 0; i < 50; ++i) line("b");
  next_file();
  line("c");
  std::filesystem::remove(folder_.path() / kLineNotes);
  EXPECT_EQ(read(101, 101).text, "c\n");
}

TEST_F(LineIndexTest, ALineWithoutAnEndIsTheLast) {
  line("first");
  record(stamp(1), 'P', "begun");
  EXPECT_EQ(read(1, 9).extent.last, 2);
  EXPECT_EQ(read(2, 9).text, "begun\n");
  record(stamp(2), 'F', " ended");
  EXPECT_EQ(read(2, 9).text, "begun ended\n");
  EXPECT_EQ(read(2, 9).extent.last, 2);
}

TEST_F(LineIndexTest, FindsTheLineOfATime) {
  for (int i = 0; i < 9000; ++i) line(std::string(60, 'x'));
  write_out();
  for (const int i : {0, 1, 3, 4000, 8999}) {
    client::LineRange range;
    range.at = *parse_time(stamp(i));
    EXPECT_EQ(read_lines(index_, folder_.path(), range, false)->first, i + 1);
  }
  client::LineRange later;
  later.at = *parse_time("2027-01-01T00:00:00Z");
  EXPECT_EQ(read_lines(index_, folder_.path(), later, false)->first, 9001);
}

TEST_F(LineIndexTest, SearchesAllByTextOrExpressionWithoutColoursInParts) {
  for (int i = 0; i < 500'000; ++i) {
    line(i % 1000 == 7 ? fmt::format("step \x1b[32mLoss\x1b[0m 0.{}", i) : std::string(40, '.'));
  }
  client::LogQuestion question;
  question.text = "loss 0.";
  question.limit = 3;
  std::int64_t count = 0;
  int parts = 0;
  std::vector<client::LogFindings::Hit> hits;
  client::LogFindings part;
  for (part.next = 1; !part.done; ++parts) {
    question.from = part.next;
    part = find(question);
    count += part.count;
    if (hits.empty()) hits = part.hits;
  }
  EXPECT_GT(parts, 1);
  EXPECT_EQ(count, 500);
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_EQ(hits[1].line, 1008);
  EXPECT_EQ(hits[1].time, stamp(1007));
  client::LogQuestion exact;
  exact.text = "loss 0.";
  exact.match_case = true;
  EXPECT_EQ(find(exact).count, 0);
  client::LogQuestion expression;
  expression.text = "^step Loss 0\\.1?007$";
  expression.regex = expression.match_case = expression.only_first = true;
  EXPECT_EQ(find(expression).hits.at(0).line, 1008);
  expression.text = "(";
  EXPECT_FALSE(find_lines(index_, folder_.path(), expression));
}

TEST(WithoutCodes, LeavesWhatIsSeen) {
  std::string scratch;
  EXPECT_EQ(without_codes("plain", scratch), "plain");
  EXPECT_EQ(without_codes("10%\r100%\r", scratch), "100%");
  EXPECT_EQ(without_codes("\x1b]0;title\x07 a\x1b[1;31mb\x1b[0m", scratch), " ab");
  EXPECT_EQ(without_codes("cut \x1b[3", scratch), "cut ");
}

}  // namespace
}  // namespace trainyard::node
