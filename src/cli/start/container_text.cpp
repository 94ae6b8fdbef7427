#include "cli/start/container_text.h"

namespace trainyard::cli {

std::string as_it_is(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '$' && (next == '$' || next == '(')) out += '$';
  }
  return out;
}

}  // namespace trainyard::cli
