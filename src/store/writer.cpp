#include "store/writer.h"

#include <boost/asio/post.hpp>

namespace trainyard::store {

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

Result<> Writer::commit(std::vector<Submission>& batch) {
  if (broken_) return *broken_;
  std::vector<Row> rows;
  for (Submission& submission : batch) {
    std::move(submission.rows.begin(), submission.rows.end(), std::back_inserter(rows));
  }
  Result<> committed = journal_.commit(rows);
  // The kernel may have dropped dirty pages when fsync failed: a later success would prove
  // nothing. Reads go on; writing needs a restart, which reads back what is really there.
  if (committed.failed_with(Code::kInternal)) {
    broken_ =
        Error(Code::kUnavailable, "the store can no longer write (" + committed.error().message() +
                                      "): restart the server when the disk is mended");
  }
  return committed;
}

void Writer::run() {
  while (true) {
    std::vector<Submission> batch;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      batch.swap(queue_);
    }
    Result<> committed = commit(batch);
    boost::asio::post(loop_, [batch = std::move(batch), committed = std::move(committed)] {
      for (const Submission& submission : batch) submission.done(committed);
    });
  }
}

}  // namespace trainyard::store
