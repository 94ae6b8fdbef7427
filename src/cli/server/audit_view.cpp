#include "cli/server/audit_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

using contract::AuditEntry;

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-_.:@/+").find(c) != std::string_view::npos;
}

/// Names as they are; others in quotes, with nothing in them but what ASCII can show: neither a
/// blank nor a sign that turns the direction of writing makes a second column of one.
std::string plainly(const std::string& text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::string who_words(const AuditEntry& entry) {
  const std::string user = entry.user.empty() ? "(nobody known)" : plainly(entry.user);
  return entry.as.empty() ? user : fmt::format("{} as {}", user, plainly(entry.as));
}

std::string on_what(const AuditEntry& entry) {
  if (entry.resource.empty()) return plainly(entry.path);
  std::string what = plainly(entry.resource);
  if (!entry.subresource.empty()) what += "/" + plainly(entry.subresource);
  if (!entry.ns.empty()) what += " -n " + plainly(entry.ns);
  if (!entry.name.empty()) what += " " + plainly(entry.name);
  return what;
}

std::string result_words(int code) {
  if (code == 0) return "no answer";
  if (code < 400) return "ok";
  if (code == 401 || code == 403) return fmt::format("refused ({})", code);
  return fmt::format("failed ({})", code);
}

std::string row_of(const std::string& time, const std::string& who, const std::string& what,
                   const std::string& on, const std::string& result) {
  return fmt::format("{:<20}   {:<16}   {:<16}   {:<44}   {}\n", time, who, what, on, result);
}

}  // namespace

std::string audit_heading() {
  return row_of("TIME", "WHO", "WHAT", "ON", "RESULT");
}

std::string audit_row(const AuditEntry& entry) {
  std::string rows;
  if (entry.left_out > 0) {
    rows = fmt::format("({} before this {} not written down)\n", entry.left_out,
                       entry.left_out == 1 ? "was" : "were");
  }
  return rows + row_of(format_time(entry.time), who_words(entry), plainly(verb_in_words(entry)),
                       on_what(entry), result_words(entry.code));
}

}  // namespace trainyard::cli
