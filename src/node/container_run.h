#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "node/environment.h"
#include "node/mounts.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// What the shim is told to run.
struct RunSpec {
  std::vector<std::string> command;
  Variables environment;
  std::string working_dir;
  std::string hostname;
  std::vector<Mount> mounts;
  std::vector<std::filesystem::path> masks;  // host folders that the container must not see
  std::filesystem::path overlay;             // folder for the private layer over the root
  std::int64_t grace_seconds = 30;
};

/// How a run stands, as its folder tells it.
///
///   kAbsent ── start() ──> kStarting ──> kRunning ──> kEnded
///                              └────────────────────────^   (could not start)
struct RunState {
  enum class Phase : std::uint8_t { kAbsent, kStarting, kRunning, kEnded };
  Phase phase = Phase::kAbsent;
  std::string started;   // RFC 3339, when it runs or ran
  std::string finished;  // RFC 3339, when ended
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;
  std::string reason;   // Completed, Error, StartError, NodeRebooted, Lost
  std::string message;  // for people; may be empty
};

/// The number of a container's last run that was prepared; 0 also when there is none.
int last_run(const std::filesystem::path& container_folder);

/// One run of one container: a folder that its shim fills. All that is known is in that folder, so
/// a server that comes back after a crash knows as much as the one that went.
class ContainerRun {
 public:
  ContainerRun(Executor loop, Clock& clock, std::filesystem::path folder,
               std::filesystem::path shim);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path log() const { return folder_ / "log"; }
  RunState state() const;

  /// Starts the shim, unless one lives in the folder already.
  Result<> start(const RunSpec& spec) const;
  /// Calls `on_change` whenever the state may have changed; returns when the run has ended, or when
  /// its shim never came up.
  awaitable<void> follow(std::function<void()> on_change) const;
  /// SIGTERM now, SIGKILL after the grace period. May be called again with less grace. False when
  /// the shim could not be reached (yet).
  bool stop(std::int64_t grace_seconds) const;

 private:
  bool shim_lives() const;
  std::optional<int> shim_pid() const;

  Executor loop_;
  Clock& clock_;
  std::filesystem::path folder_;
  std::filesystem::path shim_;
};

}  // namespace trainyard::node
