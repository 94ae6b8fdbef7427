#pragma once

#include <functional>
#include <string>
#include <vector>

namespace trainyard::cli {

struct RunLine {
  std::vector<std::string> own;      // for our parser
  std::vector<std::string> command;  // for the program, or what a shell wants completed
};

/// Parts `run -n 4 python train.py -x` where the program begins: behind `--`, or at the first word
/// that is neither a flag of ours nor the value of one. `__complete -- get m` is parted in the same
/// way: its words are those of an unfinished line. Other command lines are all our own.
RunLine split_run_line(const std::vector<std::string>& words,
                       const std::function<bool(const std::string&)>& takes_value);

}  // namespace trainyard::cli
