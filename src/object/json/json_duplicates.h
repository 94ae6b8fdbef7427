#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The paths of keys that occur again in one object, in the order of the text, each told once:
/// data.a, spec.containers[0].name. Nobody reads more than kMostDuplicates. `text` must be JSON
/// that parse_json() reads.
inline constexpr std::size_t kMostDuplicates = 50;
std::vector<std::string> duplicate_fields(std::string_view text);

}  // namespace trainyard
