#include "server/verbs/paging.h"

#include "base/crypto/ids.h"

namespace trainyard::server {

std::string encode_token(const ContinueToken& token) {
  return base64_encode(
      to_text({{"rv", token.revision}, {"ns", token.last.ns}, {"name", token.last.name}}));
}

Result<ContinueToken> decode_token(const std::string& text) {
  const Error bad(Code::kBadRequest,
                  "continue: Invalid value: this is not a token that this server gave out: list "
                  "again without it");
  const auto decoded = base64_decode(text);
  if (!decoded) return bad;
  const auto json = parse_json(*decoded);
  if (!json) return bad;
  ContinueToken token;
  token.revision = int_at(*json, "rv", -1);
  token.last.ns = string_at(*json, "ns");
  token.last.name = string_at(*json, "name");
  if (token.revision < 0 || token.last.name.empty()) return bad;
  return token;
}

}  // namespace trainyard::server
