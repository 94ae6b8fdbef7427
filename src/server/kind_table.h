#pragma once

#include "object/kind.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::server {

/// The kinds that this server serves, read from the files of api/ that are built into the binary.
class KindTable {
 public:
  static Result<KindTable> load();

  /// nullptr when no such resource is served.
  const Kind* find(const Resource& resource) const;
  const std::vector<Kind>& all() const { return kinds_; }

 private:
  std::vector<Kind> kinds_;
  std::map<Resource, std::size_t> by_resource_;
};

}  // namespace trainyard::server
