#pragma once

#include "object/json.h"

#include <string_view>

namespace trainyard::workloads {

/// The text of a string; empty for anything else.
inline std::string_view text_of(const Json& value) {
  if (!value.is_string()) return {};
  return {value.get_string().data(), value.get_string().size()};
}

}  // namespace trainyard::workloads
