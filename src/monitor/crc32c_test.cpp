#include "monitor/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace trainyard::monitor {
namespace {

TEST(Crc32c, KnowsThePublishedValues) {
  // RFC 3720, B.4.
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string rising;
  for (char byte = 0; byte < 32; ++byte) rising += byte;
  EXPECT_EQ(crc32c(rising), 0x46dd794eU);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32c, IsTheSameByTablesAtEveryLength) {
  std::string bytes;
  for (unsigned i = 0; i < 300; ++i) {
    EXPECT_EQ(crc32c(bytes), crc32c_by_tables(bytes)) << "at length " << i;
    bytes += static_cast<char>(i * 37 + (i >> 3));
  }
}

}  // namespace
}  // namespace trainyard::monitor
