#pragma once

#include <string>
#include <vector>

namespace trainyard::cli {

/// Rows of equal length under a heading, columns as wide as their longest cell, three blanks apart.
/// Cells may be coloured.
std::string format_table(const std::vector<std::string>& heading,
                         const std::vector<std::vector<std::string>>& rows);

}  // namespace trainyard::cli
