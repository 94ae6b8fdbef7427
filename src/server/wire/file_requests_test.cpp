#include "server/wire/file_requests.h"

#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

std::string ranged(std::string_view header, std::int64_t size) {
  const auto range = parse_range(header, size);
  if (!range) return "refused";
  if (!*range) return "all";
  return std::to_string((*range)->first) + "+" + std::to_string((*range)->length);
}

TEST(FileRequests, ReadsARangeOfBytes) {
  EXPECT_EQ(ranged("bytes=0-0", 10), "0+1");
  EXPECT_EQ(ranged("bytes=2-5", 10), "2+4");
  EXPECT_EQ(ranged("bytes=5-", 10), "5+5");
  EXPECT_EQ(ranged("bytes=-3", 10), "7+3");
  EXPECT_EQ(ranged("bytes=-30", 10), "0+10") << "more than there is: all there is";
  EXPECT_EQ(ranged("bytes=5-99", 10), "5+5");
}

TEST(FileRequests, IgnoresARangeThatItCannotRead) {
  for (const char* header :
       {"", "bytes", "bytes=", "bytes=-", "lines=1-2", "bytes=5-2", "bytes=a-b", "bytes=1-2,4-5",
        "bytes=+1-2", "bytes=--1", "bytes=0-99999999999999999999", "-bytes=1"}) {
    EXPECT_EQ(ranged(header, 10), "all") << header;
  }
}

TEST(FileRequests, RefusesBytesThatAreNotThere) {
  EXPECT_EQ(ranged("bytes=10-", 10), "refused");
  EXPECT_EQ(ranged("bytes=-0", 10), "refused");
  EXPECT_EQ(ranged("bytes=-1", 0), "refused");
  EXPECT_EQ(ranged("bytes=0-", 0), "refused");
}

TEST(FileRequests, SavesUnderANameThatBreaksNoHeader) {
  EXPECT_EQ(attachment("a b.txt"), "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt");
  EXPECT_EQ(attachment("x\"\r\nSet-Cookie: y"),
            "attachment; filename=\"x___Set-Cookie: y\"; "
            "filename*=UTF-8''x%22%0D%0ASet-Cookie%3A%20y");
  EXPECT_EQ(attachment("\xff"), "attachment; filename=\"___\"; filename*=UTF-8''%EF%BF%BD");
}

TEST(FileRequests, ReadsTags) {
  EXPECT_EQ(parse_tag("\"a-1\""), "a-1");
  EXPECT_EQ(parse_tag("W/\"a-1\""), "a-1");
  for (const char* header : {"", "\"", "a", "*", "\"a\", \"b\""}) EXPECT_EQ(parse_tag(header), "");
}

TEST(FileRequests, DescribesNamesThatAreNoText) {
  FileFacts facts;
  facts.name = "a\xff\n";
  facts.type = FileType::kLink;
  facts.target = "\xfe";
  facts.mode = 0644;
  const Json described = describe_file(facts);
  EXPECT_EQ(string_at(described, "name"), "a\xef\xbf\xbd\n");
  EXPECT_EQ(string_at(described, "encoded"), "a%FF%0A");
  EXPECT_EQ(string_at(described, "target"), "\xef\xbf\xbd");
  EXPECT_EQ(string_at(described, "mode"), "0644");
  EXPECT_EQ(find(described, "bytes"), nullptr);
}

}  // namespace
}  // namespace trainyard::server
