#include "cli/arena/elastic_table.h"

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kPadding = 2;

/// Code points: continuation bytes of UTF-8 take no room.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// The last cell of a row is not in a column.
bool has_column(const Row& row, std::size_t column) {
  return column + 1 < row.size();
}

/// Of each row the width of each of its columns: a column is measured over the rows in one piece
/// that have it.
std::vector<std::vector<std::size_t>> measure(const std::vector<Row>& rows) {
  std::vector<std::vector<std::size_t>> widths(rows.size());
  std::size_t most = 0;
  for (const Row& row : rows) most = std::max(most, row.size());
  for (std::size_t column = 0; column + 1 < most; ++column) {
    for (std::size_t first = 0; first < rows.size();) {
      std::size_t end = first;
      std::size_t width = 0;
      for (; end < rows.size() && has_column(rows[end], column); ++end) {
        width = std::max(width, width_of(rows[end][column]));
      }
      for (std::size_t i = first; i < end; ++i) widths[i].push_back(width + kPadding);
      first = end + (end == first ? 1 : 0);
    }
  }
  return widths;
}

}  // namespace

ElasticTable& ElasticTable::row(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
  return *this;
}

ElasticTable& ElasticTable::line(std::string text) {
  return row({std::move(text)});
}

std::string ElasticTable::text(const std::string& indent) const {
  const std::vector<std::vector<std::size_t>> widths = measure(rows_);
  std::string out;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::string line = indent;
    for (std::size_t column = 0; column < rows_[i].size(); ++column) {
      const std::string& cell = rows_[i][column];
      line += cell;
      if (has_column(rows_[i], column)) line.append(widths[i][column] - width_of(cell), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace trainyard::cli::arena
