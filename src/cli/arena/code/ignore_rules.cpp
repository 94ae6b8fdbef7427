#include "cli/arena/code/ignore_rules.h"

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

/// Reads [a-z] at the front of the pattern; takes it off when it is one. Nothing matches a slash.
bool take_class(std::string_view& pattern, char letter, bool& matched) {
  std::size_t at = 1;
  const bool inverted = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (inverted) ++at;
  bool found = false;
  for (bool first = true;; first = false) {
    if (at >= pattern.size()) return false;  // never closed: a plain letter
    if (pattern[at] == ']' && !first) break;
    const char from = pattern[at];
    char to = from;
    if (at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']') {
      to = pattern[at + 2];
      at += 2;
    }
    found = found || (letter >= from && letter <= to);
    ++at;
  }
  pattern.remove_prefix(at + 1);
  matched = found != inverted && letter != '/';
  return true;
}

bool matches_many(std::string_view pattern, std::string_view path) {
  // **/x is x here or in any folder below; a/** is all in a.
  if (pattern == "**") return !path.empty();
  const std::string_view rest = pattern.substr(3);
  while (true) {
    if (matches_glob(rest, path)) return true;
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

bool matches_within(std::string_view pattern, std::string_view path) {
  while (pattern.starts_with('*')) pattern.remove_prefix(1);
  for (std::size_t skipped = 0;; ++skipped) {
    if (matches_glob(pattern, path.substr(skipped))) return true;
    if (skipped == path.size() || path[skipped] == '/') return false;
  }
}

std::string_view trim_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) {
  while (!pattern.empty()) {
    if (pattern == "**" || pattern.starts_with("**/")) return matches_many(pattern, path);
    if (pattern.front() == '*') return matches_within(pattern, path);
    if (path.empty()) return false;
    bool matched = false;
    if (pattern.front() == '[' && take_class(pattern, path.front(), matched)) {
      if (!matched) return false;
    } else {
      if (pattern.front() == '?') {
        matched = path.front() != '/';
      } else {
        if (pattern.front() == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
        matched = pattern.front() == path.front();
      }
      if (!matched) return false;
      pattern.remove_prefix(1);
    }
    path.remove_prefix(1);
  }
  return path.empty();
}

void IgnoreRules::add(std::string_view folder, std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = trim_line(line);
    if (line.empty() || line.starts_with('#')) continue;
    Rule rule;
    rule.keeps = line.starts_with('!');
    if (rule.keeps) line.remove_prefix(1);
    rule.folders_only = line.ends_with('/');
    if (rule.folders_only) line.remove_suffix(1);
    if (line.empty()) continue;
    const bool anchored = line.find('/') != std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    if (!folder.empty()) rule.base = std::string(folder) + "/";
    rule.pattern = anchored ? std::string(line) : "**/" + std::string(line);
    rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->folders_only && !is_folder) continue;
    if (!path.starts_with(rule->base)) continue;
    if (matches_glob(rule->pattern, path.substr(rule->base.size()))) return !rule->keeps;
  }
  return false;
}

}  // namespace trainyard::cli::arena
