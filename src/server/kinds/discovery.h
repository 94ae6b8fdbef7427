#pragma once

#include "server/kinds/kind_table.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::server {

/// The answers by which clients find out what is served: /version, /api, /apis, /api/v1,
/// /apis/GROUP, /apis/GROUP/VERSION; /api and /apis also as one document with all resources, for
/// clients that know it. Made at the first question and kept until a kind comes or goes.
class Discovery {
 public:
  struct Answer {
    std::string content_type;
    std::string text;
  };

  explicit Discovery(const KindTable& kinds) : kinds_(kinds) {}
  /// Nothing for other paths.
  std::optional<Answer> answer(const std::string& path, std::string_view accept);

 private:
  const KindTable& kinds_;
  std::uint64_t generation_ = 0;
  std::map<std::string, Answer> made_;
};

}  // namespace trainyard::server
