#include "cli/arena/words.h"

#include <cctype>

namespace trainyard::cli::arena {
namespace {

std::string each_letter(std::string_view text, int (*change)(int)) {
  std::string out(text);
  for (char& letter : out) letter = static_cast<char>(change(static_cast<unsigned char>(letter)));
  return out;
}

}  // namespace

std::string upper(std::string_view text) {
  return each_letter(text, std::toupper);
}

std::string or_none(std::string_view text) {
  return std::string(text.empty() ? "N/A" : text);
}

}  // namespace trainyard::cli::arena
