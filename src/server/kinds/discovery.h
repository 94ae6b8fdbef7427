#pragma once

#include "server/kinds/kind_table.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::server {

/// What hangs below the objects of a kind.
struct Subresource {
  std::string name;
  Resource type;  // group and version of what it speaks; `plural` is its kind
  std::vector<std::string> verbs;
};

/// The answers by which clients find out what is served: /version, /api, /apis, /api/v1,
/// /apis/GROUP, /apis/GROUP/VERSION; /api and /apis also as one document with all resources, for
/// clients that know it. Made at the first question and kept until a kind comes or goes.
class Discovery {
 public:
  struct Answer {
    std::string content_type;
    std::string text;
  };

  using SubresourcesOf = std::vector<Subresource> (*)(const Kind& kind);

  Discovery(const KindTable& kinds, SubresourcesOf subresources)
      : kinds_(kinds), subresources_(subresources) {}
  /// Nothing for other paths.
  std::optional<Answer> answer(const std::string& path, std::string_view accept);

 private:
  std::optional<Json> resource_list(const std::string& api_version) const;
  Json aggregated_resource(const Kind& kind) const;
  Json aggregated(bool core) const;
  std::optional<Json> discover(const std::string& path) const;

  const KindTable& kinds_;
  SubresourcesOf subresources_;
  std::uint64_t generation_ = 0;
  std::map<std::string, Answer> made_;
};

}  // namespace trainyard::server
