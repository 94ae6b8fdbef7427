#include "object/values/formats.h"

#include <gtest/gtest.h>

#include <string>

namespace trainyard {
namespace {

struct Case {
  const char* format;
  const char* text;
  bool holds;
};

TEST(Formats, HoldAsInKubernetes) {
  const Case cases[] = {
      {"date", "2024-02-29", true},
      {"date", "2023-02-29", false},
      {"date", "1900-02-29", false},
      {"date", "2024-13-01", false},
      {"date", "2024-1-01", false},
      {"date", "2024-01-00", false},
      {"date-time", "2026-11-16T01:02:03Z", true},
      {"date-time", "2026-11-16T01:02:03.123456789+08:00", true},
      {"date-time", "2026-11-16t01:02:03z", true},
      {"date-time", "2026-11-16 01:02:03Z", false},
      {"date-time", "2026-11-16T24:02:03Z", false},
      {"date-time", "2026-11-16T01:02:60Z", false},
      {"date-time", "2026-11-16T01:02:03", false},
      {"date-time", "2026-11-31T01:02:03Z", false},
      {"date-time", "2026-11-16", false},
      {"datetime", "yesterday", false},
      {"duration", "1h30m", true},
      {"duration", "-1.5s", true},
      {"duration", "0", true},
      {"duration", "3 days", true},
      {"duration", "2 Weeks and 1 hr", true},
      {"duration", "10µs", true},
      {"duration", "5", false},
      {"duration", "", false},
      {"duration", "s", false},
      {"duration", "5 x", false},
      {"byte", "aGVsbG8=", true},
      {"byte", "", true},
      {"byte", "aGVs\nbG8=\n", true},
      {"byte", "aGVsbG8", false},
      {"byte", "a===", false},
      {"byte", "aGV*", false},
      {"byte", "aGVsbG_=", false},
      {"uuid", "123e4567-E89B-12d3-a456-426614174000", true},
      {"uuid", "123e4567e89b12d3a456426614174000", true},
      {"uuid", "123e4567-e89b-12d3-a456-42661417400", false},
      {"uuid3", "123e4567-e89b-32d3-0456-426614174000", true},
      {"uuid4", "123e4567-e89b-42d3-a456-426614174000", true},
      {"uuid4", "123e4567-e89b-42d3-0456-426614174000", false},
      {"uuid5", "123e4567-e89b-42d3-a456-426614174000", false},
      {"email", "ann@example.com", true},
      {"email", "Ann Lee <ann.lee@example.com>", true},
      {"email", "\"a b\"@[127.0.0.1]", true},
      {"email", "ann@example.com (work)", true},
      {"email", "ann", false},
      {"email", "ann@", false},
      {"email", "@example.com", false},
      {"email", "a..b@example.com", false},
      {"email", ".a@example.com", false},
      {"email", "ann@example.com, bob@example.com", false},
      {"email", "<ann@example.com", false},
      {"email", "", false},
      {"ipv4", "127.0.0.1", true},
      {"ipv4", "010.000.0.1", true},
      {"ipv4", "::ffff:1.2.3.4", true},
      {"ipv4", "1.2.3.256", false},
      {"ipv4", "1.2.3", false},
      {"ipv4", "1.2.3.4.5", false},
      {"ipv4", "::1", false},
      {"ipv6", "::1", true},
      {"ipv6", "2001:db8::8a2e:370:7334", true},
      {"ipv6", "1.2.3.4", false},
      {"ipv6", "fe80::1%eth0", false},
      {"ipv6", "1:2:3", false},
      {"cidr", "10.0.0.0/8", true},
      {"cidr", "2001:db8::/64", true},
      {"cidr", "10.0.0.0/33", false},
      {"cidr", "10.0.0.0", false},
      {"cidr", "10.0.0.0/", false},
      {"cidr", "::/129", false},
      {"mac", "00:1A:2b:3c:4d:5e", true},
      {"mac", "00-1A-2b-3c-4d-5e", true},
      {"mac", "001a.2b3c.4d5e", true},
      {"mac", "001a2b3c4d5e", true},
      {"mac", "00:1A-2b:3c:4d:5e", false},
      {"mac", "00:1a:2b:3c:4d", false},
      {"hostname", "example.com", true},
      {"hostname", "localhost", true},
      {"hostname", "1-a.example.org", true},
      {"hostname", "bücher.example", true},
      {"hostname", "-a.example.com", false},
      {"hostname", "a-.example.com", false},
      {"hostname", "a_b.example.com", false},
      {"hostname", "example.c0m", false},
      {"hostname", "1.2.3.4", false},
      {"hostname", "", false},
      {"uri", "https://example.com:443/a?b=c#d", true},
      {"uri", "/absolute/path", true},
      {"uri", "mailto:ann@example.com", true},
      {"uri", "http://[::1]:80/", true},
      {"uri", "relative/path", false},
      {"uri", "http://a b/", false},
      {"uri", "http://a:port/", false},
      {"uri", "/%zz", false},
      {"uri", "://x", false},
      {"uri", "", false},
      {"bsonobjectid", "507f1f77bcf86cd799439011", true},
      {"bsonobjectid", "507f1f77bcf86cd79943901", false},
      {"isbn", "978-0321751041", true},
      {"isbn10", "0321751043", true},
      {"isbn10", "0321751044", false},
      {"isbn10", "080442957X", true},
      {"isbn13", "978-0321751042", false},
      {"creditcard", "4111-1111-1111-1111", true},
      {"creditcard", "4111-1111-1111-1112", false},
      {"ssn", "123-45-6789", true},
      {"ssn", "123456789", false},
      {"hexcolor", "#FFaa00", true},
      {"hexcolor", "fa0", true},
      {"hexcolor", "#fa", false},
      {"rgbcolor", "rgb( 0, 99,255 )", true},
      {"rgbcolor", "rgb(0,0,256)", false},
      {"password", "", true},
  };
  for (const Case& one : cases) {
    const Format* format = find_format(one.format);
    ASSERT_NE(format, nullptr) << one.format;
    EXPECT_EQ(format->holds(one.text), one.holds) << one.format << " of " << one.text;
  }
}

TEST(Formats, AreNotCheckedWhenKubernetesDoesNotCheckThem) {
  for (const char* name : {"", "int32", "int64", "double", "float", "made-up", "regex"}) {
    EXPECT_EQ(find_format(name), nullptr) << name;
  }
  EXPECT_EQ(find_format("date-time"), find_format("datetime"));
}

TEST(Formats, SurviveHostileLength) {
  const std::string long_text(1'000'000, '1');
  for (const char* name : {"date", "date-time", "duration", "byte", "uuid", "email", "ipv4", "ipv6",
                           "cidr", "mac", "hostname", "uri", "isbn", "creditcard", "rgbcolor"}) {
    (void)find_format(name)->holds(long_text);
    (void)find_format(name)->holds(long_text + std::string("\0x", 2));
  }
}

}  // namespace
}  // namespace trainyard
