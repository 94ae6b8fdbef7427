#pragma once

#include "cli/command/context.h"

#include <optional>
#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// `arena …`: runs a command of Arena's; `words` are those behind the program's name. Returns the
/// exit code.
int run(const std::vector<std::string>& words, const Flags& flags);

/// What a command line of `trainyard` says when its command is `arena`.
struct Invocation {
  Flags flags;  // those of `trainyard` itself, which stand before the word `arena`
  std::vector<std::string> words;
};

/// By the program's name, which may be a link called `arena`, or by the first word that is no flag.
/// Nothing: the line is for another command.
std::optional<Invocation> find_invocation(const std::string& program,
                                          const std::vector<std::string>& words);

}  // namespace trainyard::cli::arena
