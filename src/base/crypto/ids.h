#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// A random version 4 UUID, as metadata.uid is written.
std::string make_uuid();
/// Random bytes from the kernel as lower-case hex; for tokens take 16 bytes or more.
std::string random_hex(std::size_t bytes);
/// The suffix that generateName appends: letters and digits that cannot form words.
std::string random_suffix();
/// 64-bit FNV-1a, the hash behind the pod names of T9k's jobs.
std::uint64_t fnv1a(std::string_view bytes);
/// HMAC-SHA256 as lower-case hex: a text that only the key's holder can make.
std::string sign(std::string_view key, std::string_view text);
/// SHA-256 as lower-case hex.
std::string sha256_hex(std::string_view bytes);
/// Compares secrets in a time that does not depend on where they differ.
bool equal_secrets(std::string_view a, std::string_view b);

std::string base64_encode(std::string_view bytes);
/// Nothing when a character is not of the alphabet.
std::optional<std::string> base64_decode(std::string_view text);
/// The alphabet of URLs without padding, as JSON Web Tokens have it. Reading is strict: each value
/// has exactly one text, and nothing is skipped.
std::string base64url_encode(std::string_view bytes);
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace trainyard
