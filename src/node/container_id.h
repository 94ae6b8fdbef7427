#pragma once

#include <charconv>
#include <string_view>

namespace trainyard::node {

/// The number of the run in trainyard://UID/NAME/N; -1 when there is none.
inline int number_in(std::string_view container_id) {
  const std::size_t slash = container_id.rfind('/');
  if (slash == std::string_view::npos) return -1;
  int number = -1;
  const std::string_view digits = container_id.substr(slash + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace trainyard::node
