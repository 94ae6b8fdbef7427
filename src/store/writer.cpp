#include "store/writer.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace trainyard::store {
namespace {

constexpr std::chrono::milliseconds kIdle{200};

}  // namespace

Writer::Writer(Journal& journal, Executor loop)
    : journal_(journal), loop_(std::move(loop)), thread_([this] { run(); }) {}

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Writer::submit(std::vector<Row> rows, Done done) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(Submission{std::move(rows), std::move(done)});
  }
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

void Writer::tidy(bool idle) {
  untidy_ = !idle;
  if (!broken_) note_failure(journal_.tidy(idle));
}

void Writer::write(std::vector<Submission> batch) {
  Result<> committed = commit(batch);
  boost::asio::post(loop_, [batch = std::move(batch), committed = std::move(committed)] {
    for (const Submission& submission : batch) submission.done(committed);
  });
  tidy(false);
}

void Writer::run() {
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
