#pragma once

#include "object/values/metadata.h"

#include <string>

namespace trainyard::server {

/// Where a list in pages goes on: the revision of its first page and the last key that was given.
struct ContinueToken {
  std::int64_t revision = 0;
  Key last;
};

std::string encode_token(const ContinueToken& token);
/// kBadRequest when it is none of ours.
Result<ContinueToken> decode_token(const std::string& text);

}  // namespace trainyard::server
