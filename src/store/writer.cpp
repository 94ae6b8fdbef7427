#include "store/writer.h"

#include <boost/asio/post.hpp>

#include <sched.h>
#include <utility>

namespace trainyard::store {
namespace {

constexpr std::chrono::milliseconds kIdle{200};

/// Asks to be run as soon as the disk has answered. The thread needs little of the processor, but
/// where jobs keep it busy, and the kernel takes it from them at its ticks only, every commit would
/// take 4 ms instead of 0.1. Without the right to it, it is as the kernel pleases.
void ask_for_priority() {
  sched_param lowest{};
  lowest.sched_priority = sched_get_priority_min(SCHED_RR);
  sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest);
}

}  // namespace

Writer::Writer(Journal& journal, const Clock& clock, Executor loop)
    : journal_(journal),
      clock_(clock),
      loop_(std::move(loop)),
      self_(std::make_shared<Writer*>(this)),
      thread_([this] { run(); }) {}

Writer::~Writer() {
  *self_ = nullptr;
  hand_over();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Writer::submit(std::vector<Row> rows, Done done) {
  gathered_.push_back(Submission{std::move(rows), std::move(done)});
  if (gathered_.size() > 1) return;
  // Behind what the loop has yet to do in this turn, which may be further writes.
  boost::asio::post(loop_, [self = self_] {
    if (*self != nullptr) (*self)->hand_over();
  });
}

void Writer::hand_over() {
  {
    const std::lock_guard lock(mutex_);
    std::move(gathered_.begin(), gathered_.end(), std::back_inserter(queue_));
  }
  gathered_.clear();
  wake_.notify_one();
}

// The kernel may have dropped dirty pages when fsync failed: a later success would prove nothing.
// Reads go on; writing needs a restart, which reads back what is really there.
void Writer::note_failure(const Result<>& outcome) {
  if (!outcome.failed_with(Code::kInternal)) return;
  broken_ =
      Error(Code::kUnavailable, "the store can no longer write (" + outcome.error().message() +
                                    "): restart the server when the disk is mended");
}

Result<> Writer::commit(std::vector<Submission>& batch) {
  if (broken_) return *broken_;
  std::vector<Row> rows;
  for (Submission& submission : batch) {
    std::move(submission.rows.begin(), submission.rows.end(), std::back_inserter(rows));
  }
  Result<> committed = journal_.commit(rows);
  note_failure(committed);
  return committed;
}

void Writer::note(const Figures& more) {
  figures_.commits += more.commits;
  figures_.rows += more.rows;
  figures_.seconds += more.seconds;
}

void Writer::tidy(bool idle) {
  untidy_ = !idle;
  if (!broken_) note_failure(journal_.tidy(idle));
}

void Writer::write(std::vector<Submission> batch) {
  Figures more{1, 0, 0};
  for (const Submission& submission : batch) more.rows += submission.rows.size();
  const TimePoint begun = clock_.now();
  Result<> committed = commit(batch);
  more.seconds = std::chrono::duration<double>(clock_.now() - begun).count();
  boost::asio::post(
      loop_, [self = self_, more, batch = std::move(batch), committed = std::move(committed)] {
        if (*self != nullptr && committed) (*self)->note(more);
        for (const Submission& submission : batch) submission.done(committed);
      });
  tidy(false);
}

void Writer::run() {
  ask_for_priority();
  const auto has_work = [this] { return stopping_ || !queue_.empty(); };
  std::unique_lock lock(mutex_);
  while (true) {
    if (untidy_) {
      wake_.wait_for(lock, kIdle, has_work);
    } else {
      wake_.wait(lock, has_work);
    }
    if (queue_.empty() && stopping_) return;
    std::vector<Submission> batch = std::exchange(queue_, {});
    lock.unlock();
    if (batch.empty()) {
      tidy(true);
    } else {
      write(std::move(batch));
    }
    lock.lock();
  }
}

}  // namespace trainyard::store
