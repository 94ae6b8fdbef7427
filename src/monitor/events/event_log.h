#pragma once

#include "monitor/events/event_run.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::monitor {

struct EventLogOptions {
  TagFilter tags;
  bool only_scalars = false;
  unsigned threads = 2;
  /// What the points of all curves may take. Where there are more, curves are thinned; but each run
  /// may have its share.
  std::size_t most_bytes = 200 << 20;
};

/// All runs below a folder, as TensorBoard has them: each folder with event files is one, named by
/// its path; "." is the folder itself.
class EventLog {
 public:
  EventLog(LogFolder& folder, EventLogOptions options);

  /// Looks for runs and files that are new or gone. Reads nothing of them.
  Result<> find_runs();
  /// Reads what is new of all runs.
  void refresh();

  /// In the order of their names.
  const std::vector<std::unique_ptr<EventRun>>& runs() const { return runs_; }
  LogFolder& folder() { return folder_; }
  ReadNotes notes() const;

 private:
  RunLimits limits_for(std::size_t runs) const;
  void read_runs(std::atomic<std::size_t>& next);

  LogFolder& folder_;
  EventLogOptions options_;
  std::vector<std::unique_ptr<EventRun>> runs_;
  ReadNotes found_;
  std::atomic<std::size_t> held_ = 0;
};

/// "a/b/events.out.tfevents.1" is of the run "a/b", "events.out.tfevents.1" of ".".
std::string run_of(const std::string& path);

}  // namespace trainyard::monitor
