#include "cli/arena/config.h"

#include "base/files/files.h"

#include <algorithm>
#include <cstdlib>

namespace trainyard::cli::arena {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return "";
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

/// Gives each part between separators to `take`.
template <class Take>
void split(std::string_view text, char separator, Take take) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    take(trim(part));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
}

}  // namespace

std::string Config::get(const std::string& key) const {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

std::vector<std::string> Config::get_list(const std::string& key) const {
  std::vector<std::string> parts;
  split(get(key), ',', [&](std::string_view part) {
    if (!part.empty()) parts.emplace_back(part);
  });
  return parts;
}

Config parse_config(std::string_view text) {
  Config config;
  split(text, '\n', [&](std::string_view line) {
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) return;
    const std::string key(trim(line.substr(0, equals)));
    if (!key.empty()) config.values[key] = trim(line.substr(equals + 1));
  });
  return config;
}

Result<Config> load_config() {
  if (const char* named = std::getenv("ARENA_CONFIG"); named != nullptr && *named != '\0') {
    auto text = read_file(named);
    if (!text) return std::move(text).error().within("ARENA_CONFIG");
    return parse_config(*text);
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr) return Config{};
  const auto text = read_file(std::filesystem::path(home) / ".arena/config");
  if (text) return parse_config(*text);
  if (text.failed_with(Code::kNotFound)) return Config{};
  return text.error();
}

}  // namespace trainyard::cli::arena
