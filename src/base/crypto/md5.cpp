#include "base/crypto/md5.h"

#include "base/check.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace trainyard {

std::string md5_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr) == 1);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest.at(i));
  return text;
}

}  // namespace trainyard
