#pragma once

#include "base/clock.h"
#include "base/files/unique_fd.h"
#include "base/notifier.h"
#include "base/task_group.h"
#include "node/config.h"
#include "node/run/container_run.h"

#include <deque>
#include <filesystem>
#include <vector>

namespace trainyard::node {

/// A few shims that wait for something to run, each in what will be the folder of a container: a
/// start need not wait for a process, namespaces, a root and devices, since they are there. Whoever
/// comes when all are taken starts its own. They end with the server, and leave no trace.
class ReadyRuns {
 public:
  /// `masks` is what containers must not see.
  ReadyRuns(Executor loop, Clock& clock, const Paths& paths, std::filesystem::path shim, int life,
            std::vector<std::filesystem::path> masks);

  void start();
  awaitable<void> stop();

  /// Moves one to `container`, the folder of one that has never run, if it suits the spec. What is
  /// returned is open then, for ContainerRun::start(); closing it ends the shim.
  UniqueFd take(const std::filesystem::path& container, const RunSpec& spec);
  /// How many can be taken.
  std::size_t size() const;

 private:
  struct Ready {
    std::filesystem::path folder;
    UniqueFd go;
  };
  awaitable<void> keep_full();
  Result<> make_one();
  bool suits(const RunSpec& spec) const;
  static bool is_made(const Ready& one);
  /// They have copied the machine's mounts, which may have changed since.
  bool is_out_of_date() const;
  void drop_all();

  Clock& clock_;
  const Paths& paths_;
  std::filesystem::path shim_;
  int life_;
  std::vector<std::filesystem::path> masks_;
  std::deque<Ready> ready_;
  UniqueFd mounts_;  // the table of mounts, opened when they were made
  int made_ = 0;
  TimePoint wait_until_ = TimePoint::min();
  Notifier changed_;
  TaskGroup tasks_;
};

}  // namespace trainyard::node
