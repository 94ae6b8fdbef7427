#pragma once

#include "client/pod_progress.h"
#include "monitor/progress/progress.h"
#include "node/config.h"
#include "node/usage_reader.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace trainyard::node {

/// What the end of a log says of progress. `folder` is the run's.
std::optional<monitor::Progress> read_log_progress(const std::filesystem::path& folder,
                                                   WallTime now);
Json progress_json(const monitor::Progress& progress);

/// Finds how far trainings have come in the ends of their logs, when somebody asks. A log that has
/// not grown since is not read again. Lives on the loop; reads on `files`.
class ProgressReader final : public client::PodProgresses {
 public:
  ProgressReader(Clock& clock, Executor files, const NodeConfig& config)
      : clock_(clock), files_(std::move(files)), config_(config), paths_(config.data_dir) {}

  awaitable<std::vector<client::PodProgress>> tell_progress(std::vector<ObjectPtr> pods) override;

 private:
  /// Used on `files` alone.
  struct Known {
    std::uint64_t segment = 0;
    std::uintmax_t size = 0;
    std::optional<monitor::Progress> progress;
    std::uint64_t asked = 0;
  };
  struct Memory {
    std::map<UsageTarget, Known> known;
    std::uint64_t questions = 0;
  };
  static std::optional<monitor::Progress> look(Memory& memory, const Paths& paths,
                                               const UsageTarget& target, WallTime now);

  Clock& clock_;
  Executor files_;
  const NodeConfig& config_;
  Paths paths_;
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();  // a reading may outlive its asker
};

}  // namespace trainyard::node
