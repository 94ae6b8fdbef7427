#include "cli/confirm.h"

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

}  // namespace trainyard::cli
