#include "server/access/jwt.h"

#include "base/crypto/ids.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <optional>
#include <utility>

namespace trainyard::server {
namespace {

using Memory = Owned<BIO, BIO_free_all>;
using Context = Owned<EVP_MD_CTX, EVP_MD_CTX_free>;
using Signature = Owned<ECDSA_SIG, ECDSA_SIG_free>;
using Number = Owned<BIGNUM, BN_free>;

// ES256 writes two numbers of 32 bytes one after the other; OpenSSL reads and writes DER.
constexpr std::size_t kHalf = 32;
// Ours are below 2 KiB.
constexpr std::size_t kLongestToken = 16 << 10;

Error failed(const char* doing) {
  ERR_clear_error();
  return Error(Code::kInternal, std::string("cannot ") + doing);
}

Error not_ours() {
  ERR_clear_error();
  return Error(Code::kUnauthorized, "the token was not signed here");
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string take_bytes(unsigned char* bytes, int size) {
  std::string taken;
  if (size > 0) taken.assign(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return taken;
}

/// Empty when it is no signature at all.
std::string to_der(std::string_view raw) {
  const Signature signature(ECDSA_SIG_new());
  Number r(BN_bin2bn(bytes_of(raw), kHalf, nullptr));
  Number s(BN_bin2bn(bytes_of(raw) + kHalf, kHalf, nullptr));
  if (!signature || !r || !s || ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return {};
  // The signature owns them now.
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &der);
  return take_bytes(der, size);
}

std::optional<std::string> from_der(std::string_view der) {
  const unsigned char* at = bytes_of(der);
  const Signature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  std::string raw(2 * kHalf, '\0');
  auto* out = reinterpret_cast<unsigned char*>(raw.data());
  if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, kHalf) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kHalf, kHalf) < 0) {
    return std::nullopt;
  }
  return raw;
}

bool is_p256(const EVP_PKEY* key) {
  std::array<char, 32> group{};
  std::size_t size = 0;
  return EVP_PKEY_is_a(key, "EC") == 1 &&
         EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) == 1 &&
         std::string_view(group.data(), size) == "prime256v1";
}

/// Only a header that we could have written: no other algorithm, no other key, no extensions that
/// would have to be understood.
bool is_our_header(std::string_view encoded, const std::string& key_id) {
  const auto text = base64url_decode(encoded);
  if (!text) return false;
  const auto header = parse_json(*text);
  return header && header->is_object() && string_at(*header, "alg") == "ES256" &&
         string_at(*header, "kid") == key_id && find(*header, "crit") == nullptr;
}

}  // namespace

Result<JwtKey> JwtKey::wrap(Key key) {
  if (!key || !is_p256(key.get())) {
    ERR_clear_error();
    return Error(Code::kInvalid, "not a private key of the kind that tokens are signed with");
  }
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key.get(), &der);
  const std::string public_key = take_bytes(der, size);
  if (public_key.empty()) return failed("read the public half of a key");
  return JwtKey(std::move(key), sha256_hex(public_key).substr(0, 32));
}

Result<JwtKey> JwtKey::generate() {
  return wrap(Key(EVP_EC_gen("P-256")));
}

Result<JwtKey> JwtKey::from_pem(const std::string& pem) {
  const Memory text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  char nothing[] = "";  // a passphrase: OpenSSL would ask the terminal for one
  return wrap(Key(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nothing)));
}

Result<std::string> JwtKey::to_pem() const {
  const Memory text(BIO_new(BIO_s_mem()));
  if (!text || PEM_write_bio_PrivateKey(text.get(), key_.get(), nullptr, nullptr, 0, nullptr,
                                        nullptr) != 1) {
    return failed("write a key as PEM");
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(text.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

Result<Json> JwtKey::to_jwk() const {
  JsonObject jwk{{"use", "sig"}, {"kty", "EC"}, {"kid", id_}, {"crv", "P-256"}, {"alg", "ES256"}};
  const std::pair<const char*, const char*> coordinates[] = {{"x", OSSL_PKEY_PARAM_EC_PUB_X},
                                                             {"y", OSSL_PKEY_PARAM_EC_PUB_Y}};
  for (const auto& [name, parameter] : coordinates) {
    BIGNUM* read = nullptr;
    const bool found = EVP_PKEY_get_bn_param(key_.get(), parameter, &read) == 1;
    const Number number(read);
    std::array<unsigned char, kHalf> bytes{};
    if (!found || BN_bn2binpad(number.get(), bytes.data(), kHalf) < 0) {
      return failed("read the public half of a key");
    }
    jwk[name] = base64url_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return Json(std::move(jwk));
}

Result<std::string> JwtKey::sign(const Json& claims) const {
  const Json header{{"alg", "ES256"}, {"kid", id_}};
  std::string token = base64url_encode(to_text(header)) + "." + base64url_encode(to_text(claims));
  const Context context(EVP_MD_CTX_new());
  std::array<unsigned char, 128> der{};
  std::size_t size = der.size();
  if (!context ||
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), der.data(), &size, bytes_of(token), token.size()) != 1) {
    return failed("sign a token");
  }
  const auto raw = from_der({reinterpret_cast<const char*>(der.data()), size});
  if (!raw) return failed("sign a token");
  return token + "." + base64url_encode(*raw);
}

Result<Json> JwtKey::verify(std::string_view token) const {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (token.size() > kLongestToken || first == std::string_view::npos || first == last ||
      token.find('.', first + 1) != last || !is_our_header(token.substr(0, first), id_)) {
    return not_ours();
  }
  const auto raw = base64url_decode(token.substr(last + 1));
  if (!raw || raw->size() != 2 * kHalf) return not_ours();
  const std::string der = to_der(*raw);
  const std::string_view message = token.substr(0, last);
  const Context context(EVP_MD_CTX_new());
  if (der.empty() || !context ||
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1 ||
      EVP_DigestVerify(context.get(), bytes_of(der), der.size(), bytes_of(message),
                       message.size()) != 1) {
    return not_ours();
  }
  const auto text = base64url_decode(token.substr(first + 1, last - first - 1));
  if (!text) return not_ours();
  auto claims = parse_json(*text);
  if (!claims || !claims->is_object()) return not_ours();
  return claims;
}

}  // namespace trainyard::server
