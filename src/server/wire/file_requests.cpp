#include "server/wire/file_requests.h"

#include "base/clock.h"
#include "http/wire/message.h"
#include "object/json/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::server {
namespace {

/// Digits alone; nothing when there are none or too many.
std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t count = 0;
  if (text.empty() || text.front() == '-') return std::nullopt;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

Error no_such_bytes(std::int64_t size) {
  return Error(Code::kInvalid, fmt::format("the file has {} bytes only", size));
}

}  // namespace

Result<std::optional<ByteRange>> parse_range(std::string_view header, std::int64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  const std::size_t dash = header.find('-');
  if (!header.starts_with(kUnit) || dash == std::string_view::npos || dash < kUnit.size()) {
    return {std::nullopt};
  }
  const std::string_view from = header.substr(kUnit.size(), dash - kUnit.size());
  const std::string_view to = header.substr(dash + 1);
  const auto first = parse_count(from);
  const auto last = parse_count(to);
  if (from.empty()) {  // the last so many
    if (!last) return {std::nullopt};
    if (*last == 0 || size == 0) return no_such_bytes(size);
    const std::int64_t length = std::min(*last, size);
    return {ByteRange{size - length, length}};
  }
  if (!first || (!to.empty() && !last) || (last && *last < *first)) return {std::nullopt};
  if (*first >= size) return no_such_bytes(size);
  const std::int64_t end = std::min(last.value_or(size - 1), size - 1);
  return {ByteRange{*first, end - *first + 1}};
}

std::string attachment(std::string_view name) {
  const std::string text = as_utf8(name);
  std::string plain;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool safe = byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\' && c != '%';
    plain += safe ? c : '_';
  }
  return fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}", plain,
                     http::percent_encode(text));
}

std::string parse_tag(std::string_view header) {
  if (header.starts_with("W/")) header.remove_prefix(2);
  if (header.size() < 2 || header.front() != '"' || header.back() != '"') return {};
  const std::string_view tag = header.substr(1, header.size() - 2);
  return tag.find('"') == std::string_view::npos ? std::string(tag) : std::string();
}

Json describe_file(const FileFacts& facts) {
  JsonObject file{{"name", as_utf8(facts.name)},
                  {"encoded", http::percent_encode(facts.name)},
                  {"type", word_for(facts.type)},
                  {"modified", format_time(facts.modified)},
                  {"mode", fmt::format("{:04o}", facts.mode)},
                  {"owner", fmt::format("{}:{}", facts.uid, facts.gid)},
                  {"tag", facts.tag}};
  if (facts.type == FileType::kFile) file["bytes"] = facts.bytes;
  if (facts.type == FileType::kLink) {
    file["target"] = as_utf8(facts.target);
    file["encodedTarget"] = http::percent_encode(facts.target);
  }
  return file;
}

Json describe_view(const std::string& path, const client::FileView& view) {
  JsonObject answer{{"kind", "VolumeFile"},         {"apiVersion", "trainyard.dev/v1"},
                    {"path", as_utf8(path)},        {"readOnly", view.read_only},
                    {"freeBytes", view.free_bytes}, {"file", describe_file(view.facts)}};
  if (view.facts.type == FileType::kFolder) {
    JsonArray entries;
    for (const FileFacts& entry : view.folder.entries) entries.push_back(describe_file(entry));
    answer["entries"] = std::move(entries);
    answer["total"] = view.folder.total;
  }
  return answer;
}

}  // namespace trainyard::server
