#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::cli::arena {

/// ~/.arena/config, or the file that ARENA_CONFIG names: lines KEY=VALUE.
struct Config {
  std::map<std::string, std::string> values;

  /// Empty when it is not there.
  std::string get(const std::string& key) const;
  /// The parts of a comma list, without blanks around them.
  std::vector<std::string> get_list(const std::string& key) const;
};

/// Splits at the first '='; comments, blank lines and lines without one are passed over.
Config parse_config(std::string_view text);

/// Of the environment's file; empty when there is none. An error when ARENA_CONFIG names one that
/// cannot be read.
Result<Config> load_config();

}  // namespace trainyard::cli::arena
