#include "monitor/events/records.h"

#include "monitor/events/event_writer.h"

#include <gtest/gtest.h>

namespace trainyard::monitor {
namespace {

using writing::little_endian;
using writing::record;

struct Read {
  std::vector<std::string> records;
  RecordProgress progress;
  ReadNotes notes;
};

Read read_all(std::string_view bytes, std::uint64_t most_bytes = 1000) {
  Read read;
  RecordReader reader(most_bytes);
  read.progress =
      reader.read(bytes, bytes.size(), read.notes,
                  [&](std::string_view text, std::uint64_t) { read.records.emplace_back(text); });
  return read;
}

std::string header(std::uint64_t length) {
  const std::string text = little_endian(length, 8);
  return text + little_endian(masked(crc32c(text)), 4);
}

using Texts = std::vector<std::string>;

TEST(Records, AreReadOneAfterTheOther) {
  const std::string bytes = record("one") + record("") + record("three");
  const Read read = read_all(bytes);
  EXPECT_EQ(read.records, (Texts{"one", "", "three"}));
  EXPECT_EQ(read.progress.used, bytes.size());
  EXPECT_TRUE(read.notes.sentences().empty());
}

TEST(Records, ThatAreNotWholeAreLeftForLater) {
  const std::string bytes = record("one") + record("two");
  for (std::size_t size = record("one").size(); size < bytes.size(); ++size) {
    const Read read = read_all(std::string_view(bytes).substr(0, size));
    EXPECT_EQ(read.records, Texts{"one"}) << size;
    EXPECT_EQ(read.progress.used, record("one").size()) << size;
    EXPECT_TRUE(read.notes.sentences().empty()) << size;
  }
}

TEST(Records, WithWrongBytesAreSkipped) {
  std::string bytes = record("one") + record("two") + record("three");
  bytes[record("one").size() + kRecordHeader] ^= 1;
  const Read read = read_all(bytes);
  EXPECT_EQ(read.records, (Texts{"one", "three"}));
  EXPECT_EQ(read.notes.damaged_records, 1U);
}

TEST(Records, AreFoundAgainBehindAWrongLength) {
  std::string bytes = record("one") + record("two") + record("three");
  bytes[record("one").size()] ^= 1;
  const Read read = read_all(bytes);
  EXPECT_EQ(read.records, (Texts{"one", "three"}));
  EXPECT_EQ(read.notes.damaged_places, 1U);
  EXPECT_EQ(read.notes.skipped_bytes, record("two").size());
}

TEST(Records, OfImpossibleLengthAreNone) {
  const Read read = read_all(header(std::uint64_t(1) << 63) + record("two") + header(UINT64_MAX) +
                             record("three"));
  EXPECT_EQ(read.records, (Texts{"two", "three"}));
  EXPECT_EQ(read.notes.damaged_places, 2U);
}

TEST(Records, ThatAreTooLargeArePassedOver) {
  const std::string large(2000, 'x');
  const Read read = read_all(record("one") + record(large) + record("three"));
  EXPECT_EQ(read.records, (Texts{"one", "three"}));
  EXPECT_EQ(read.notes.large_records, 1U);
}

TEST(Records, ThatAreTooLargeNeedNotBeSeen) {
  RecordReader reader(1000);
  ReadNotes notes;
  const std::string begin = header(1 << 30) + "a few bytes";
  const std::uint64_t whole = kRecordHeader + (1 << 30) + kRecordFooter;
  const auto none = [](std::string_view, std::uint64_t) { FAIL(); };
  EXPECT_EQ(reader.read(begin, whole - 1, notes, none).used, 0U) << "it is still being written";
  EXPECT_EQ(reader.read(begin, whole + 50, notes, none).used, whole);
  EXPECT_EQ(notes.large_records, 1U);
}

}  // namespace
}  // namespace trainyard::monitor
