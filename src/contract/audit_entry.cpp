#include "contract/audit_entry.h"

#include "object/json/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::contract {
namespace {

// Names of objects have at most 253 bytes; what is longer is somebody's own invention.
constexpr std::size_t kLongest = 256;
constexpr std::size_t kMostGroups = 16;

/// Valid UTF-8, of bounded length: cut between characters.
std::string bounded(std::string_view bytes) {
  const bool cut = bytes.size() > kLongest;
  std::string text = as_utf8(bytes.substr(0, kLongest));
  return cut ? text + "…" : text;
}

void put(JsonObject& line, const char* field, const std::string& text) {
  if (!text.empty()) line[field] = bounded(text);
}

}  // namespace

AuditEntry::AuditEntry() = default;
AuditEntry::AuditEntry(AuditEntry&& other) noexcept = default;
AuditEntry& AuditEntry::operator=(AuditEntry&& other) noexcept = default;
AuditEntry::~AuditEntry() = default;

std::string to_line(const AuditEntry& entry) {
  JsonObject line{{"time", format_time_micro(entry.time)}, {"user", bounded(entry.user)}};
  put(line, "as", entry.as);
  if (!entry.groups.empty()) {
    JsonArray groups;
    for (const std::string& group : entry.groups) {
      if (groups.size() < kMostGroups) groups.emplace_back(bounded(group));
    }
    line["groups"] = std::move(groups);
  }
  put(line, "verb", entry.verb);
  put(line, "resource", entry.resource);
  put(line, "subresource", entry.subresource);
  put(line, "namespace", entry.ns);
  put(line, "name", entry.name);
  put(line, "path", entry.path);
  line["code"] = entry.code;
  put(line, "source", entry.source);
  put(line, "id", entry.id);
  if (entry.left_out > 0) line["leftOut"] = static_cast<std::int64_t>(entry.left_out);
  return to_text(line) + "\n";
}

std::optional<AuditEntry> read_audit_line(std::string_view text) {
  const auto line = parse_json(text);
  if (!line || !line->is_object()) return std::nullopt;
  const auto time = parse_time(string_at(*line, "time"));
  if (!time) return std::nullopt;
  AuditEntry entry;
  entry.time = *time;
  entry.user = string_at(*line, "user");
  entry.groups = texts_at(*line, "groups");
  entry.as = string_at(*line, "as");
  entry.verb = string_at(*line, "verb");
  entry.resource = string_at(*line, "resource");
  entry.subresource = string_at(*line, "subresource");
  entry.ns = string_at(*line, "namespace");
  entry.name = string_at(*line, "name");
  entry.path = string_at(*line, "path");
  entry.code = static_cast<int>(int_at(*line, "code"));
  entry.source = string_at(*line, "source");
  entry.id = string_at(*line, "id");
  entry.left_out = static_cast<std::uint64_t>(std::max<std::int64_t>(0, int_at(*line, "leftOut")));
  return entry;
}

std::string verb_in_words(const AuditEntry& entry) {
  const bool session =
      entry.resource == "pods" && (entry.subresource == "exec" || entry.subresource == "attach" ||
                                   entry.subresource == "portforward");
  return session ? entry.subresource : entry.verb;
}

bool matches(const AuditFilter& filter, const AuditEntry& entry) {
  if (!filter.user.empty() && filter.user != entry.user && filter.user != entry.as) return false;
  if (!filter.ns.empty() && filter.ns != entry.ns) return false;
  if (!filter.verb.empty() && filter.verb != entry.verb && filter.verb != verb_in_words(entry)) {
    return false;
  }
  return !filter.since || entry.time >= *filter.since;
}

std::filesystem::path audit_file(const std::filesystem::path& data_dir, int age) {
  return data_dir / (age == 0 ? "audit.log" : fmt::format("audit.log.{}", age));
}

}  // namespace trainyard::contract
