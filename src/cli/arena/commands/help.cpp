#include "cli/arena/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

constexpr std::size_t kWidestLeft = 34;

std::string indent(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += fmt::format("  {}\n", line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

std::string written(const Flag& flag) {
  std::string left = flag.letter == '\0' ? "      " : fmt::format("  -{}, ", flag.letter);
  left += "--" + flag.name;
  if (!flag.is_switch()) left += " " + flag.value_name;
  return left;
}

std::string explained(const Flag& flag) {
  std::string text = flag.help;
  if (flag.repeatable) text += " (may be repeated)";
  const bool plain = flag.fallback.empty() || (flag.fallback == "0" && !flag.is_switch());
  if (!plain) text += fmt::format(" (default {})", flag.fallback);
  return text;
}

std::string flag_lines(const FlagSet& flags) {
  std::size_t width = 0;
  for (const Flag& flag : flags.all()) {
    const std::size_t size = flag.hidden ? 0 : written(flag).size();
    if (size <= kWidestLeft) width = std::max(width, size);
  }
  std::string out;
  for (const Flag& flag : flags.all()) {
    if (flag.hidden) continue;
    out += fmt::format("{:{}}  {}\n", written(flag), width, explained(flag));
  }
  return out;
}

std::string child_lines(const Command& command) {
  std::size_t width = 0;
  for (const auto& child : command.children) width = std::max(width, child->name.size());
  std::string out;
  for (const auto& child : command.children) {
    if (child->hidden) continue;
    out += fmt::format("  {:{}}  {}", child->name, width, child->summary);
    if (!child->aliases.empty()) out += fmt::format(" (also {})", fmt::join(child->aliases, ", "));
    out += "\n";
  }
  return out;
}

}  // namespace

std::string help_text(const Command& root, const ParsedLine& line) {
  const Command& command = *line.command;
  std::string out = command.summary + "\n\nUsage:\n  " + line.path;
  if (!command.run) out += " COMMAND";
  if (!command.usage.empty()) out += " " + command.usage;
  out += " [flags]\n";
  if (!command.aliases.empty()) {
    out += fmt::format("\nAliases:\n  {}, {}\n", command.name, fmt::join(command.aliases, ", "));
  }
  if (!command.example.empty()) out += "\nExample:\n" + indent(command.example);
  if (!command.children.empty()) out += "\nCommands:\n" + child_lines(command);
  const std::string own = &command == &root ? "" : flag_lines(command.flags);
  if (!own.empty()) out += "\nFlags:\n" + own;
  out += "\nGlobal flags:\n" + flag_lines(root.flags);
  if (!command.notes.empty()) out += "\n" + command.notes + "\n";
  return out;
}

}  // namespace trainyard::cli::arena
