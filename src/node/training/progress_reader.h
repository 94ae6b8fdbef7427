#pragma once

#include "contract/job_progress.h"
#include "monitor/progress/progress.h"
#include "node/config.h"
#include "node/training/curve_progresses.h"
#include "node/usage/usage_reader.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// What the end of a log says of progress. `folder` is the run's.
std::optional<monitor::Progress> read_log_progress(const std::filesystem::path& folder,
                                                   WallTime now);
Json progress_json(const monitor::Progress& progress);

/// Finds how far trainings have come, when somebody asks: in the ends of their logs, and where
/// these do not say all, in event files. A log that has not grown since is not read again. Lives on
/// the loop; reads logs on `files`.
class ProgressReader final : public contract::JobProgresses {
 public:
  ProgressReader(Clock& clock, Executor files, const NodeConfig& config, CurveReader& curves)
      : clock_(clock),
        files_(std::move(files)),
        config_(config),
        paths_(config.data_dir),
        curves_(curves, clock) {}

  awaitable<std::vector<contract::JobProgress>> tell_progress(
      std::vector<ObjectPtr> pods, contract::LogFoldersOfPod folders) override;

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
  /// A job that runs.
  struct Job {
    ObjectPtr pod;  // that which says most
    std::optional<monitor::Progress> log;
    WallTime since;  // the start of its first pod
  };
  /// One for each owner, by its uid.
  using Jobs = std::map<std::string, Job>;

  awaitable<Jobs> read_logs(std::vector<ObjectPtr> pods);
  static std::optional<monitor::Progress> look(Memory& memory, const Paths& paths,
                                               const UsageTarget& target, WallTime now);

  Clock& clock_;
  Executor files_;
  const NodeConfig& config_;
  Paths paths_;
  CurveProgresses curves_;
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();  // a reading may outlive its asker
};

}  // namespace trainyard::node
