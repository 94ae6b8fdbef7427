#include "cli/start/run_line.h"

namespace trainyard::cli {

RunLine split_run_line(const std::vector<std::string>& words,
                       const std::function<bool(const std::string&)>& takes_value) {
  RunLine line;
  bool run = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool flag = word.size() > 1 && word.starts_with('-');
    if (run && (word == "--" || !flag)) {
      line.command.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + (word == "--" ? 1 : 0),
                          words.end());
      return line;
    }
    if (!run && !flag) {
      if (word != "run" && word != "__complete") return {words, {}};
      run = true;
    }
    line.own.push_back(word);
    if (flag && takes_value(word) && i + 1 < words.size()) line.own.push_back(words[++i]);
  }
  return line;
}

}  // namespace trainyard::cli
