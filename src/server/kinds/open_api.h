#pragma once

#include "server/kinds/kind_table.h"

#include <map>
#include <optional>
#include <string>

namespace trainyard::server {

/// What kubectl accepts of /openapi/v2, and nothing else.
inline constexpr const char* kOpenApiProtobuf =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
/// And what it can read as the type of the answer, in which @ may not stand.
inline constexpr const char* kOpenApiProtobufAnswer =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// The schemas as OpenAPI documents: /openapi/v2, /openapi/v3 and one document a group version.
/// kubectl reads them to know that the server validates fields itself, and for `explain`. Made at
/// the first question, since most servers are never asked, and kept until a kind comes or goes.
class OpenApi {
 public:
  explicit OpenApi(const KindTable& kinds) : kinds_(kinds) {}
  /// The document's text; nothing for other paths.
  std::optional<std::string> answer(const std::string& path);
  /// /openapi/v2 in protobuf, for those who ask for kOpenApiProtobuf.
  std::string protobuf_v2();

 private:
  std::string index_v3();
  void forget_what_is_old();
  const KindTable& kinds_;
  std::uint64_t generation_ = 0;
  std::map<std::string, std::string> made_;
};

}  // namespace trainyard::server
