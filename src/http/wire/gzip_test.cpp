#include "http/wire/gzip.h"

#include <gtest/gtest.h>

namespace trainyard::http {
namespace {

TEST(Gzip, UnpacksWhatWasPacked) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i);
  const std::string packed = pack(text, 9);
  EXPECT_LT(packed.size(), text.size() / 2);
  EXPECT_EQ(*unpack(packed), text);
  EXPECT_EQ(*unpack(pack("", 1)), "");
}

TEST(Gzip, RefusesWhatIsCutOffOrSomethingElse) {
  const std::string packed = pack("some text that is long enough", 9);
  EXPECT_TRUE(unpack(packed.substr(0, packed.size() - 3)).failed_with(Code::kInvalid));
  EXPECT_TRUE(unpack("not packed at all").failed_with(Code::kInvalid));
  EXPECT_TRUE(unpack("").failed_with(Code::kInvalid));
}

TEST(Gzip, IsSentToWhoTakesIt) {
  EXPECT_TRUE(accepts_gzip(Headers{{"Accept-Encoding", "deflate, gzip, br"}}));
  EXPECT_FALSE(accepts_gzip(Headers{{"Accept-Encoding", "br, gzip;q=0"}}));
  EXPECT_FALSE(accepts_gzip(Headers{}));
}

}  // namespace
}  // namespace trainyard::http
