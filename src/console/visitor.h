#pragma once

#include "object/json/json.h"

#include <string>
#include <vector>

namespace trainyard::console {

/// Who is in front of the browser, as the API server knows them.
struct Visitor {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  /// Of people whom `trainyard user add` let in: the uid of their Secret. When it is gone, they
  /// are.
  std::string secret_uid;
};

Json to_json(const Visitor& visitor);
Visitor read_visitor(const Json& json);

}  // namespace trainyard::console
