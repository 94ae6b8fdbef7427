#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "store/journal.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace trainyard::store {

/// The thread that waits for the disk, so that the loop never does. Everything that was submitted
/// in one turn of the loop, and all that comes while the last commit runs, goes into the next one
/// together: sixteen writers share one fsync.
class Writer {
 public:
  /// Runs on the loop when the rows are durable, or are known not to be.
  using Done = std::function<void(const Result<>&)>;

  /// The clock is asked on the writer's thread.
  Writer(Journal& journal, const Clock& clock, Executor loop);
  /// Commits what was submitted, then ends the thread. Done callbacks still queued on the loop are
  /// not awaited.
  ~Writer();

  /// On the loop.
  void submit(std::vector<Row> rows, Done done);

  /// What was written. On the loop.
  struct Figures {
    std::uint64_t commits = 0;
    std::uint64_t rows = 0;
    double seconds = 0;  // that the disk has taken
  };
  const Figures& figures() const { return figures_; }

 private:
  struct Submission {
    std::vector<Row> rows;
    Done done;
  };

  void hand_over();
  void run();
  void write(std::vector<Submission> batch);
  Result<> commit(std::vector<Submission>& batch);
  void tidy(bool idle);
  void note_failure(const Result<>& outcome);
  void note(const Figures& more);

  Journal& journal_;
  const Clock& clock_;
  Executor loop_;
  std::vector<Submission> gathered_;  // loop only: in this turn
  std::shared_ptr<Writer*> self_;     // loop only: null when the writer is gone
  Figures figures_;                   // loop only
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Submission> queue_;  // guarded by mutex_
  bool stopping_ = false;          // guarded by mutex_
  bool untidy_ = false;            // thread only: something was written since it was last idle
  std::optional<Error> broken_;    // thread only: after a failed fsync nothing may be acknowledged
  std::thread thread_;             // last: runs with all of the above
};

}  // namespace trainyard::store
