#include "shim/log/log_framer.h"

#include "shim/stamp.h"
#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace trainyard::shim {
namespace {

constexpr std::string_view kStamp = "2026-11-16T01:02:03.123456789Z";

/// Frames `pieces` one after the other, as LogWriter does.
std::string frame(const std::vector<std::string>& pieces, bool flush_between = false) {
  LogFramer framer("stdout");
  std::string log;
  for (const std::string& piece : pieces) {
    for (std::size_t used = 0; used < piece.size();) {
      std::string out;
      used += framer.feed(std::string_view(piece).substr(used), kStamp, out);
      log += out;
    }
    if (flush_between) framer.flush(kStamp, log);
  }
  framer.flush(kStamp, log);
  return log;
}

TEST(Stamp, HasNineDigitsAndSorts) {
  EXPECT_EQ(format_stamp({1794790923, 123456789}), kStamp);
  EXPECT_EQ(format_stamp({0, 5}), "1970-01-01T00:00:00.000000005Z");
  EXPECT_EQ(format_stamp({951782399, 0}), "2000-02-28T23:59:59.000000000Z");
  EXPECT_EQ(format_stamp({951782400, 0}), "2000-02-29T00:00:00.000000000Z");
}

TEST(LogFramer, WritesWholeLines) {
  EXPECT_EQ(frame({"a\n\nb\n"}), std::string(kStamp) + " stdout F a\n" + std::string(kStamp) +
                                     " stdout F \n" + std::string(kStamp) + " stdout F b\n");
}

TEST(LogFramer, JoinsALineThatComesInPieces) {
  EXPECT_EQ(frame({"he", "llo", "\n"}), std::string(kStamp) + " stdout F hello\n");
}

TEST(LogFramer, MarksTheUnfinishedEndAsPartial) {
  EXPECT_EQ(frame({"a"}), std::string(kStamp) + " stdout P a\n");
  EXPECT_EQ(frame({}), "");
}

TEST(LogFramer, EndsAFlushedLineWithAnEmptyRecord) {
  EXPECT_EQ(frame({"a", "\n"}, true),
            std::string(kStamp) + " stdout P a\n" + std::string(kStamp) + " stdout F \n");
}

TEST(LogFramer, KeepsALineOfTheGreatestLengthWhole) {
  std::string text(LogFramer::kMaxText, 'x');
  EXPECT_EQ(frame({text + "\n"}), std::string(kStamp) + " stdout F " + text + "\n");
  EXPECT_EQ(frame({text, "\n"}), std::string(kStamp) + " stdout F " + text + "\n");
  EXPECT_EQ(frame({text + "y\n"}), std::string(kStamp) + " stdout P " + text + "\n" +
                                       std::string(kStamp) + " stdout F y\n");
}

TEST(LogFramer, StopsWhenTheOutputIsFull) {
  LogFramer framer("stdout");
  std::string newlines(65536, '\n');
  std::string out;
  EXPECT_LT(framer.feed(newlines, kStamp, out), newlines.size());
  EXPECT_LT(out.size(), LogFramer::kOutLimit + LogFramer::kMaxText + 64);
  EXPECT_EQ(parse_log(frame({newlines})).out, newlines);
}

TEST(LogFramer, GivesEveryByteBackHoweverItIsCut) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string all;
    std::vector<std::string> pieces;
    for (unsigned count = random() % 8; count > 0; --count) {
      std::string piece(random() % 40'000, 'x');
      unsigned newlines = random() % 50;
      for (char& byte : piece) {
        byte = random() % 1000 < newlines ? '\n' : static_cast<char>(random());
      }
      all += piece;
      pieces.push_back(piece);
    }
    ParsedLog log = parse_log(frame(pieces, round % 2 == 0));
    EXPECT_EQ(log.broken, "");
    ASSERT_EQ(log.out, all) << "round " << round;
    EXPECT_LE(log.longest_text, LogFramer::kMaxText);
  }
}

}  // namespace
}  // namespace trainyard::shim
