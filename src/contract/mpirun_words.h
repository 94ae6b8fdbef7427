#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::contract {

/// A log of mpirun, taken apart: what its processes wrote, and its own reports, which stand between
/// lines of dashes and mostly tell what followed from something.
struct MpirunLog {
  bool found = false;                   // it is such a log
  std::vector<std::string_view> lines;  // without the reports, up to the first of them
  std::string refusal;                  // why mpirun started nothing; may be empty
  std::string consequence;              // what it says of a process that failed; may be empty
};
MpirunLog read_mpirun_log(const std::vector<std::string_view>& lines);

}  // namespace trainyard::contract
