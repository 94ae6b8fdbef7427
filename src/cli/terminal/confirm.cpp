#include "cli/terminal/confirm.h"

#include <fmt/format.h>

#include <iostream>
#include <unistd.h>

namespace trainyard::cli {

Result<> confirm(const std::string& question, bool yes) {
  if (yes) return Ok();
  if (isatty(STDIN_FILENO) != 1) {
    return Error(Code::kInvalid, fmt::format("{} add --yes to do so", question));
  }
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "Y" || answer == "yes") return Ok();
  return Error(Code::kCancelled, "nothing was changed");
}

bool agrees(const std::string& question) {
  fmt::print(stderr, "{} [Y/n] ", question);
  std::string answer;
  if (!std::getline(std::cin, answer)) return false;
  return answer.empty() || answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace trainyard::cli
