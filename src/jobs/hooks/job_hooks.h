#pragma once

#include "base/notifier.h"
#include "base/task_group.h"
#include "client/reporting/events.h"
#include "jobs/hooks/hook_delivery.h"

#include <deque>
#include <set>
#include <string>
#include <vector>

namespace trainyard::jobs {

/// What who runs the machine wants to hear of every job. Jobs can name an address of their own.
struct HookOptions {
  std::vector<WebhookTarget> webhooks;
  std::string command;        // of --on-job-end; empty: none
  std::filesystem::path log;  // what the command writes
  WallTime since{};           // ends before this are nobody's news
  HookLimits limits;
};

/// Tells others when a job has ended: at least once, also after a restart of the server, and never
/// in the way of the job itself. What was told is noted in an annotation of the job.
class JobHooks {
 public:
  JobHooks(Executor loop, client::Api& api, Clock& clock, HookOptions options);

  /// For every state of a job that somebody sees, the last one of a deleted one, too.
  void look(const Resource& resource, const ObjectPtr& job, bool deleted);
  void start();
  awaitable<void> stop();

  /// More that wait than this are dropped, and the log says so.
  static constexpr std::size_t kMostWaiting = 10'000;

 private:
  struct Notice {
    Resource resource;
    Kept job;
    std::vector<WebhookTarget> webhooks;
  };

  std::vector<WebhookTarget> targets_of(const ObjectPtr& job);
  bool is_news(const Json& job) const;
  void enqueue(Notice notice);
  awaitable<void> work();
  awaitable<void> tell(Notice notice);
  awaitable<void> note_outcome(ObjectPtr job, std::string whom, Result<> outcome);
  awaitable<void> note_told(Resource resource, ObjectPtr job);

  Executor loop_;
  client::Api& api_;
  Clock& clock_;
  HookOptions options_;
  client::EventRecorder events_;
  std::set<std::string> known_;  // uids of jobs whose end is told or will be
  std::set<std::string> bad_;    // whose annotation is no address
  std::deque<Notice> waiting_;
  Notifier added_;
  TaskGroup tasks_;
};

}  // namespace trainyard::jobs
