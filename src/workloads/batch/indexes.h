#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace trainyard::workloads {

/// Completion indexes, which Jobs write as 0,2-4.
using Indexes = std::set<std::int64_t>;

/// Only those below `end`; what cannot be read is left out.
Indexes parse_indexes(std::string_view text, std::int64_t end);
std::string format_indexes(const Indexes& indexes);

}  // namespace trainyard::workloads
