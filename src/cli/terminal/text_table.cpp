#include "cli/terminal/text_table.h"

#include <algorithm>

namespace trainyard::cli {
namespace {

/// Characters, not bytes: continuation bytes of UTF-8 take no room, nor do colours (ESC [ … m).
std::size_t width(const std::string& text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size());
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++columns;
    }
  }
  return columns;
}

}  // namespace

std::string format_table(const std::vector<std::string>& heading,
                         const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : heading) widths.push_back(width(cell));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  const auto append = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - width(row[i]) + 3, ' ');
    }
    out += '\n';
  };
  append(heading);
  for (const auto& row : rows) append(row);
  return out;
}

}  // namespace trainyard::cli
