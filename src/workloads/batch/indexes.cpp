#include "workloads/batch/indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace trainyard::workloads {
namespace {

std::optional<std::int64_t> parse_index(std::string_view text) {
  std::int64_t index = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), index);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || index < 0) {
    return std::nullopt;
  }
  return index;
}

}  // namespace

Indexes parse_indexes(std::string_view text, std::int64_t end) {
  Indexes indexes;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), range.size() + 1));
    const std::size_t dash = range.find('-');
    const auto first = parse_index(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_index(range.substr(dash + 1));
    if (!first || !last) continue;
    for (std::int64_t i = *first; i <= *last && i < end; ++i) indexes.insert(i);
  }
  return indexes;
}

std::string format_indexes(const Indexes& indexes) {
  std::string text;
  for (auto first = indexes.begin(); first != indexes.end();) {
    auto last = first;
    auto next = std::next(first);
    while (next != indexes.end() && *next == *last + 1) last = next++;
    text += fmt::format("{}{}", text.empty() ? "" : ",", *first);
    if (*last == *first + 1) {
      text += fmt::format(",{}", *last);
    } else if (last != first) {
      text += fmt::format("-{}", *last);
    }
    first = next;
  }
  return text;
}

}  // namespace trainyard::workloads
