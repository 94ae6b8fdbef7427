#pragma once

#include "object/json/json.h"

#include <string_view>

namespace trainyard::workloads {

/// The text of a string; empty for anything else.
inline std::string_view text_of(const Json& value) {
  if (!value.is_string()) return {};
  return {value.get_string().data(), value.get_string().size()};
}

/// What is at a path, without a copy; null when nothing is.
inline const Json& json_at(const Json& root, std::string_view dotted_path) {
  static const Json kNothing;
  const Json* found = find(root, dotted_path);
  return found == nullptr ? kNothing : *found;
}

}  // namespace trainyard::workloads
