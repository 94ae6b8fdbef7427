#pragma once

#include "cli/arena/command.h"

namespace trainyard::cli::arena {

/// What a shell may be offered in the place of the last word of an unfinished line.
struct CompletionPlan {
  std::vector<std::string> words;  // known without a server
  Offer offer = Offer::kNothing;   // what the server has to be asked for besides
  std::string job;                 // whose instances
  std::string ns;                  // -n of the line
};

/// Pure, but for the variables that the flags write to.
CompletionPlan plan_completion(Command& root, const std::vector<std::string>& line);

}  // namespace trainyard::cli::arena
