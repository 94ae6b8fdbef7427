#include "base/crypto/ids.h"

#include <gtest/gtest.h>

#include <regex>

namespace trainyard {
namespace {

TEST(Ids, UuidsAreVersionFourAndDiffer) {
  const std::string uuid = make_uuid();
  EXPECT_TRUE(std::regex_match(
      uuid, std::regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")))
      << uuid;
  EXPECT_NE(uuid, make_uuid());
}

TEST(Ids, Fnv1aMatchesTheSuffixSeenOnT9k) {
  EXPECT_EQ(fnv1a("mnistcffea855-5ce2-496a-8956-f6e76fe2f565") >> 44, 0x40c14U);
}

TEST(Ids, SecretsCompareByContent) {
  EXPECT_TRUE(equal_secrets("abc", "abc"));
  EXPECT_FALSE(equal_secrets("abc", "abd"));
  EXPECT_FALSE(equal_secrets("abc", "abcd"));
}

TEST(Ids, SignsAsRfc4231Says) {
  EXPECT_EQ(sign("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Base64, RoundTripsEveryLength) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foob"), "Zm9vYg==");
  for (std::size_t length = 0; length < 50; ++length) {
    std::string bytes(length, '\xff');
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
  }
  EXPECT_EQ(base64_decode("!"), std::nullopt);
}

TEST(Base64Url, RoundTripsEveryLengthInItsOwnAlphabet) {
  EXPECT_EQ(base64url_encode("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(base64url_encode("f"), "Zg");
  for (std::size_t length = 0; length < 50; ++length) {
    std::string bytes(length, '\xff');
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
  }
}

TEST(Base64Url, RefusesASecondTextForTheSameBytes) {
  EXPECT_EQ(base64url_decode("Zg"), "f");
  for (const char* text : {"Zg==", "Zh", "Z", "Zg\n", "+w", "/w", " Zg", "Zg.", "Z%67"}) {
    EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
  }
}

TEST(Ids, Sha256AsFips180Says) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace trainyard
