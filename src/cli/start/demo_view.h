#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What `trainyard demo` shows of its job while it runs. Pure.
namespace trainyard::cli {

/// `step 150/300 loss 0.21 accuracy 91.3%`, as the demo's programs write it.
struct DemoStep {
  int step = 0;
  int steps = 0;
  std::string rest;  // loss 0.21 accuracy 91.3%
};
/// The last step that a log tells of.
std::optional<DemoStep> last_step(std::string_view log);

struct DemoView {
  std::string job;
  std::string phase;
  int seconds = 0;
  std::string waits_for;                                      // why nothing runs yet; may be empty
  std::vector<std::pair<std::string, std::string>> replicas;  // worker-0, Running
  std::optional<DemoStep> step;
  std::vector<std::string> lines;  // the last of the logs

  /// Whether no replica runs any more, or is still to come.
  bool all_ended() const;
};

/// Line by line, none longer than the terminal is wide.
std::vector<std::string> demo_lines(const DemoView& view, int width);

/// The last lines of a log, at most so many.
std::vector<std::string> last_lines_of(std::string_view log, std::size_t count);

}  // namespace trainyard::cli
