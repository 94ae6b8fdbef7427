#include "node/logs/log_records.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using client::LogOptions;

/// A record of second `second` of the test's minute.
std::string record(int second, const std::string& text, char tag = 'F',
                   const char* stream = "stdout") {
  return fmt::format("2026-03-01T10:00:{:02}.000000001Z {} {} {}\n", second, stream, tag, text);
}

std::string joined(const std::vector<client::OutputPiece>& pieces) {
  std::string all;
  for (const client::OutputPiece& piece : pieces) all += piece.bytes;
  return all;
}

std::string decode(const LogOptions& options, std::string records) {
  LogDecoder decoder(options);
  return joined(decoder.decode(records));
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
  EXPECT_EQ(joined(decoder.decode(records)), "one\n");
  records += whole.substr(whole.size() - 3);
  EXPECT_EQ(joined(decoder.decode(records)), "two\n");
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
  EXPECT_EQ(joined(decoder.decode(records)), "abc\nd");
  EXPECT_TRUE(decoder.full());
  EXPECT_EQ(joined(decoder.decode(records)), "");
}

TEST(LogDecoder, ShowsALineThatIsNoRecordAsItIs) {
  EXPECT_EQ(decode({}, "garbage\n" + record(1, "one")), "garbage\none\n");
}

TEST(LogDecoder, TellsTheStreamsApart) {
  LogDecoder decoder({});
  std::string records = record(1, "a") + record(2, "b") + record(3, "c", 'F', "stderr");
  const auto pieces = decoder.decode(records);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].stream, client::OutputStream::kOut);
  EXPECT_EQ(pieces[0].bytes, "a\nb\n");
  EXPECT_EQ(pieces[1].stream, client::OutputStream::kErr);
  EXPECT_EQ(pieces[1].bytes, "c\n");
}

TEST(LogDecoder, GivesOneStreamAloneWhenAsked) {
  LogOptions options;
  options.stream = client::OutputStream::kErr;
  options.timestamps = true;
  EXPECT_EQ(decode(options, record(1, "a", 'P') + record(2, "b", 'F', "stderr") + record(3, "c")),
            "2026-03-01T10:00:02.000000001Z b\n");
}

TEST(LogDecoder, FinishesWithWhatIsLeftOfARecord) {
  LogDecoder decoder({});
  std::string half = record(1, "one").substr(0, 41);
  EXPECT_EQ(joined(decoder.finish(half)), "o");
  std::string head = "2026-03-01T10:00:01.00";
  EXPECT_EQ(joined(decoder.finish(head)), "");
}

}  // namespace
}  // namespace trainyard::node
