#include "base/crypto/ssh_key.h"

#include "base/check.h"
#include "base/crypto/ids.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <memory>

namespace trainyard {
namespace {

constexpr std::string_view kType = "ssh-ed25519";
constexpr std::size_t kBlock = 8;  // what the secret part is padded to, without a cipher
constexpr std::size_t kLineLength = 70;

std::string number(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFFU);
  return bytes;
}

/// Its length, then itself.
std::string field(std::string_view bytes) {
  return number(static_cast<std::uint32_t>(bytes.size())) + std::string(bytes);
}

std::string text_of(const Ed25519Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

std::string armored(const std::string& bytes) {
  const std::string text = base64_encode(bytes);
  std::string out = "-----BEGIN OPENSSH PRIVATE KEY-----\n";
  for (std::size_t begin = 0; begin < text.size(); begin += kLineLength) {
    out += text.substr(begin, kLineLength) + "\n";
  }
  return out + "-----END OPENSSH PRIVATE KEY-----\n";
}

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

}  // namespace

SshKeyPair write_ssh_key_pair(const Ed25519Bytes& secret, const Ed25519Bytes& open,
                              std::string_view comment, std::uint32_t check) {
  const std::string blob = field(kType) + field(text_of(open));
  std::string hidden = number(check) + number(check) + blob +
                       field(text_of(secret) + text_of(open)) + field(comment);
  for (char pad = 1; hidden.size() % kBlock != 0; ++pad) hidden += pad;
  const std::string file = std::string("openssh-key-v1\0", 15) + field("none") + field("none") +
                           field("") + number(1) + field(blob) + field(hidden);
  return {armored(file),
          std::string(kType) + " " + base64_encode(blob) + " " + std::string(comment)};
}

SshKeyPair make_ssh_key_pair(std::string_view comment) {
  const std::unique_ptr<EVP_PKEY, FreeKey> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  CHECK(key != nullptr);
  Ed25519Bytes secret{};
  Ed25519Bytes open{};
  std::size_t length = secret.size();
  CHECK(EVP_PKEY_get_raw_private_key(key.get(), secret.data(), &length) == 1);
  length = open.size();
  CHECK(EVP_PKEY_get_raw_public_key(key.get(), open.data(), &length) == 1);
  std::uint32_t check = 0;
  CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(&check), sizeof(check)) == 1);
  SshKeyPair pair = write_ssh_key_pair(secret, open, comment, check);
  OPENSSL_cleanse(secret.data(), secret.size());
  return pair;
}

}  // namespace trainyard
