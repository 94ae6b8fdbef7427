#pragma once

#include "base/clock.h"
#include "base/notifier.h"
#include "base/task_group.h"
#include "node/config.h"

#include <deque>
#include <filesystem>
#include <string>

namespace trainyard::node {

/// A few folders of pods that are to come, with the files that every pod has, still empty: to make
/// them takes longer than all else that the node does before a container starts. Whoever comes when
/// all are taken makes its own.
class ReadyFolders {
 public:
  ReadyFolders(Executor loop, Clock& clock, const Paths& paths);

  void start();
  awaitable<void> stop();

  /// Makes the pod's folder, unless it is there.
  Result<> make(const std::string& uid);
  std::size_t size() const { return ready_.size(); }

 private:
  awaitable<void> keep_full();
  Result<> make_one();

  Clock& clock_;
  const Paths& paths_;
  Paths there_;  // the same arrangement, for pods that have no name yet
  std::deque<std::filesystem::path> ready_;
  int made_ = 0;
  TimePoint wait_until_ = TimePoint::min();
  Notifier changed_;
  TaskGroup tasks_;
};

}  // namespace trainyard::node
