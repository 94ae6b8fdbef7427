#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::cli::arena {

/// What the .gitignore files of a folder leave out. Paths are written from the folder that was
/// begun with, with '/' between their parts.
class IgnoreRules {
 public:
  /// The text of a .gitignore in `folder` (empty: the first). Deeper ones count more.
  void add(std::string_view folder, std::string_view text);
  /// The last rule that matches decides. What is in a folder that is left out need not be asked.
  bool ignores(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string base;     // of the folder it stands in, with a slash behind it; or empty
    std::string pattern;  // matched against all of the path below it
    bool folders_only = false;
    bool keeps = false;  // it began with '!'
  };
  std::vector<Rule> rules_;
};

/// `*` and `?` stay within a part of the path, `**` does not; [a-z] and \ as in a shell.
bool matches_glob(std::string_view pattern, std::string_view path);

}  // namespace trainyard::cli::arena
