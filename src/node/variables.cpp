#include "node/variables.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {

Result<std::string> expand(std::string_view text, const Variables& variables) {
  std::string out;
  const std::size_t last_close = text.rfind(')');  // looked for once, not at every open one
  for (std::size_t i = 0; i < text.size() && out.size() <= kLongestWord; ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    if (text[i + 1] == '$') {
      out += '$';
      ++i;
      continue;
    }
    const bool closes =
        text[i + 1] == '(' && last_close != std::string_view::npos && i < last_close;
    const std::size_t close = closes ? text.find(')', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[i];
      continue;
    }
    const std::string_view name = text.substr(i + 2, close - i - 2);
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const auto& variable) { return variable.first == name; });
    if (found == variables.end()) {
      out += text.substr(i, close - i + 1);
    } else {
      out += found->second;
    }
    i = close;
  }
  if (out.size() <= kLongestWord) return out;
  return Error(Code::kInvalid,
               fmt::format("with its references replaced it is longer than {} bytes, the most that "
                           "the kernel gives to a process",
                           kLongestWord));
}

}  // namespace trainyard::node
