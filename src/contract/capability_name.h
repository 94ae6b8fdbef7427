#pragma once

#include "object/json/json.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace trainyard::contract {

/// As it listens to the network of others, which no ordinary user may.
inline constexpr const char* kRawNetwork = "NET_RAW";

/// An entry of securityContext.capabilities, as the kernel names it: in capitals, without CAP_.
inline std::string capability_name(const Json& word) {
  std::string name = word.is_string() ? to_string(word.get_string()) : "";
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name.starts_with("CAP_") ? name.substr(4) : name;
}

}  // namespace trainyard::contract
