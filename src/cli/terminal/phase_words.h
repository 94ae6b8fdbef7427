#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// How phases and ends of jobs read. Pure.
namespace trainyard::cli {

/// The phase of a job or pod in the colour that it has on terminals.
std::string coloured_phase(const std::string& phase, bool coloured);

/// How a job has ended.
struct JobEnd {
  std::string job;
  std::string phase;
  std::optional<std::chrono::seconds> took;
  std::string reason;                                    // why, where it did not go well
  std::vector<std::pair<std::string, double>> values{};  // that it has told last, such as its loss
};
/// "✓ train-vdx6j succeeded in 2 s · loss 0.20"
std::string end_line(const JobEnd& end, bool coloured);

}  // namespace trainyard::cli
