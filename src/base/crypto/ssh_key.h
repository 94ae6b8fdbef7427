#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

/// A pair of keys in the words of OpenSSH: what it calls id_ed25519 and id_ed25519.pub.
struct SshKeyPair {
  std::string private_key;
  std::string public_key;  // one line, without its end
};

/// A new Ed25519 pair. The comment ends the public line, and tells people whose key it is.
SshKeyPair make_ssh_key_pair(std::string_view comment);

using Ed25519Bytes = std::array<unsigned char, 32>;
/// The pair's texts, of its raw halves: the file format "openssh-key-v1" without a passphrase.
/// `check` is any number: readers compare its two copies.
SshKeyPair write_ssh_key_pair(const Ed25519Bytes& secret, const Ed25519Bytes& open,
                              std::string_view comment, std::uint32_t check);

}  // namespace trainyard
