#include "server/access/jwt.h"

#include "base/crypto/ids.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <random>

namespace trainyard::server {
namespace {

JwtKey make_key() {
  auto key = JwtKey::generate();
  EXPECT_TRUE(key);
  return *std::move(key);
}

std::string sign(const JwtKey& key, const Json& claims = {{"sub", "ann"}, {"n", 1}}) {
  auto token = key.sign(claims);
  EXPECT_TRUE(token);
  return *std::move(token);
}

/// A token with that header, and the rest of a good one.
std::string with_header(const std::string& token, const Json& header) {
  return base64url_encode(to_text(header)) + token.substr(token.find('.'));
}

bool is_refused(const JwtKey& key, std::string_view token) {
  return key.verify(token).failed_with(Code::kUnauthorized);
}

TEST(Jwt, GivesBackTheClaimsThatItSigned) {
  const JwtKey key = make_key();
  for (int i = 0; i < 50; ++i) {  // numbers of a signature with leading zeros come by chance
    const auto claims = key.verify(sign(key));
    ASSERT_TRUE(claims) << claims.error().message();
    EXPECT_EQ(to_text(*claims), R"({"sub":"ann","n":1})");
  }
}

TEST(Jwt, RefusesATokenWithAnyCharacterChanged) {
  const JwtKey key = make_key();
  const std::string token = sign(key);
  for (std::size_t i = 0; i < token.size(); ++i) {
    for (const char other : {'A', 'b', '9', '_', '.', '=', '\n', '\0'}) {
      std::string changed = token;
      if (changed[i] == other) continue;
      changed[i] = other;
      EXPECT_TRUE(is_refused(key, changed)) << i << " " << other;
    }
    EXPECT_TRUE(is_refused(key, token.substr(0, i))) << i;
  }
}

TEST(Jwt, RefusesATokenOfAnotherKey) {
  const JwtKey ours = make_key();
  const JwtKey other = make_key();
  const std::string token = sign(other);
  EXPECT_TRUE(is_refused(ours, token));
  // And also when it claims to be ours.
  const Json header{{"alg", "ES256"}, {"kid", ours.id()}};
  EXPECT_TRUE(is_refused(ours, with_header(token, header)));
}

TEST(Jwt, TakesNoAlgorithmFromTheToken) {
  const JwtKey key = make_key();
  const std::string token = sign(key);
  for (const char* algorithm : {"none", "None", "HS256", "RS256", "ES384", "es256", ""}) {
    const std::string changed = with_header(token, Json{{"alg", algorithm}, {"kid", key.id()}});
    EXPECT_TRUE(is_refused(key, changed)) << algorithm;
    EXPECT_TRUE(is_refused(key, changed.substr(0, changed.rfind('.') + 1))) << algorithm;
  }
}

TEST(Jwt, RefusesHeadersThatWeWouldNotWrite) {
  const JwtKey key = make_key();
  const std::string token = sign(key);
  EXPECT_TRUE(is_refused(key, with_header(token, Json{{"alg", "ES256"}})));
  EXPECT_TRUE(is_refused(
      key, with_header(token, Json{{"alg", "ES256"}, {"kid", key.id()}, {"crit", JsonArray()}})));
  const std::string twice = R"({"alg":"none","alg":"ES256","kid":")" + key.id() + "\"}";
  EXPECT_TRUE(is_refused(key, base64url_encode(twice) + token.substr(token.find('.'))));
}

TEST(Jwt, RefusesASecondTextForTheSameToken) {
  const JwtKey key = make_key();
  const std::string token = sign(key);
  for (const std::string& other :
       {token + "=", token + "\n", " " + token, token + "." + token, token + ".", "." + token}) {
    EXPECT_TRUE(is_refused(key, other)) << other;
  }
}

TEST(Jwt, RefusesNoise) {
  const JwtKey key = make_key();
  std::mt19937 random(4711);
  const std::string token = sign(key);
  for (int i = 0; i < 20'000; ++i) {
    std::string noise(random() % 200, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    if (i % 2 == 0) {  // or a good token with a piece of noise in it
      const std::size_t at = random() % token.size();
      noise = token.substr(0, at) + noise.substr(0, 1 + random() % 3) + token.substr(at);
    }
    EXPECT_TRUE(is_refused(key, noise) || noise == token);
  }
  for (const char* text : {"", ".", "..", "...", "a.b.c", "e30.e30.", "e30.e30.e30"}) {
    EXPECT_TRUE(is_refused(key, text)) << text;
  }
  EXPECT_TRUE(is_refused(key, std::string(1'000'000, '.')));
  EXPECT_TRUE(is_refused(key, std::string(1'000'000, 'a')));
}

TEST(Jwt, RefusesASignatureOfZeros) {
  const JwtKey key = make_key();
  const std::string token = sign(key);
  const std::string zeros = base64url_encode(std::string(64, '\0'));
  EXPECT_TRUE(is_refused(key, token.substr(0, token.rfind('.') + 1) + zeros));
}

TEST(Jwt, AKeyGoesThroughItsFile) {
  const JwtKey key = make_key();
  const auto pem = key.to_pem();
  ASSERT_TRUE(pem);
  const auto again = JwtKey::from_pem(*pem);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id(), key.id());
  EXPECT_TRUE(again->verify(sign(key)));
  EXPECT_FALSE(JwtKey::from_pem("nonsense"));
  EXPECT_FALSE(JwtKey::from_pem(""));
}

TEST(Jwt, TakesNoKeyOfAnotherKind) {
  for (EVP_PKEY* other : {EVP_RSA_gen(2048), EVP_EC_gen("P-384")}) {
    BIO* memory = BIO_new(BIO_s_mem());
    ASSERT_EQ(PEM_write_bio_PrivateKey(memory, other, nullptr, nullptr, 0, nullptr, nullptr), 1);
    char* data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    EXPECT_TRUE(JwtKey::from_pem(std::string(data, static_cast<std::size_t>(size)))
                    .failed_with(Code::kInvalid));
    BIO_free_all(memory);
    EVP_PKEY_free(other);
  }
}

}  // namespace
}  // namespace trainyard::server
