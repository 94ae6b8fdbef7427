#pragma once

#include "base/clock.h"
#include "base/task_group.h"
#include "node/run/container_run.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <map>

namespace trainyard::node {

/// Tells when a shim has written to its run's folder, or has ended: that closes `lock`, which only
/// it has open for writing. One inotify instance serves all runs, since a user gets few of them
/// (fs.inotify.max_user_instances); folders that the kernel will not watch are looked at each
/// second. Belongs to the loop thread.
class RunWatcher {
 public:
  RunWatcher(Executor loop, Clock& clock);

  void start();
  awaitable<void> stop() { return tasks_.stop(); }

  /// Ends when it is destroyed, which must be before the watcher.
  class Watch {
   public:
    Watch() = default;
    Watch(RunWatcher& watcher, std::uint64_t id) : watcher_(&watcher), id_(id) {}
    Watch(Watch&& other) noexcept;
    Watch& operator=(Watch&& other) noexcept;
    ~Watch() { reset(); }
    void reset();

   private:
    RunWatcher* watcher_ = nullptr;
    std::uint64_t id_ = 0;
  };
  /// The folder must exist. What has happened before is not told: look once after this.
  [[nodiscard]] Watch watch(const std::filesystem::path& folder, std::function<void()> on_change);

 private:
  struct Entry {
    int descriptor = -1;  // of inotify; -1: not watched by the kernel
    std::function<void()> on_change;
  };
  awaitable<void> read_events();
  awaitable<void> look_at_unwatched();
  void tell(int descriptor);
  void remove(std::uint64_t id);

  Clock& clock_;
  boost::asio::posix::stream_descriptor inotify_;
  std::map<std::uint64_t, Entry> entries_;
  std::multimap<int, std::uint64_t> by_descriptor_;
  std::uint64_t next_id_ = 1;
  bool is_looking_ = false;
  TaskGroup tasks_;
};

/// Calls `on_change` whenever the run's state may have changed; returns when it has ended, or when
/// its shim never came up.
awaitable<void> follow(RunWatcher& watcher, Executor loop, ContainerRun run,
                       std::function<void()> on_change);

}  // namespace trainyard::node
