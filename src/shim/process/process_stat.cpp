#include "shim/process/process_stat.h"

#include "shim/spec.h"

namespace trainyard::shim {

std::optional<std::uint64_t> stat_field(std::string_view stat, int number) {
  constexpr int kNameField = 2;
  std::size_t name_end = stat.rfind(')');
  if (name_end == stat.npos || number <= kNameField) return std::nullopt;
  std::string_view rest = stat.substr(name_end + 1);
  for (int field = kNameField; field < number; ++field) {
    std::size_t space = rest.find(' ');
    if (space == rest.npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  return parse_number(rest.substr(0, rest.find(' ')));
}

}  // namespace trainyard::shim
