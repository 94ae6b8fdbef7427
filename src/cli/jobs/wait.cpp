#include "cli/command/commands.h"
#include "cli/command/jobs_view.h"
#include "cli/jobs/wait_goal.h"
#include "cli/terminal/duration.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

namespace trainyard::cli {
namespace {

using namespace std::chrono_literals;
constexpr int kTimedOut = 2;

/// The job when it has reached the goal or cannot any more; nothing when it was deleted.
awaitable<Result<ObjectPtr>> watch_until(Session& session, FoundJob job, WaitGoal goal) {
  const Key key = job.key();
  client::ListOptions this_job;
  this_job.ns = key.ns;
  this_job.fields = "metadata.name=" + key.name;
  const std::string uid(uid_of(job.body()));
  while (true) {
    auto now = co_await session.api().get(job.resource, key);
    if (now.failed_with(Code::kNotFound) || (now && uid_of((*now)->body()) != uid)) {
      co_return ObjectPtr();
    }
    if (!now && !now.failed_with(Code::kUnavailable)) co_return now;
    std::string version;
    if (now) {
      if (judge_wait((*now)->body(), goal) != WaitVerdict::kNotYet) co_return now;
      version = string_at((*now)->body(), "metadata.resourceVersion");
      const auto watch = co_await session.api().watch(job.resource, this_job, version);
      while (watch) {
        const auto event = co_await (*watch)->next();
        if (!event) break;  // looked at anew
        if (event->type == client::WatchEvent::Type::kBookmark) continue;
        if (event->type == client::WatchEvent::Type::kDeleted) co_return ObjectPtr();
        if (judge_wait(event->object->body(), goal) != WaitVerdict::kNotYet)
          co_return event->object;
      }
    }
    co_await session.clock().sleep_for(500ms);
  }
}

/// kTimeout when the deadline comes first.
awaitable<Result<ObjectPtr>> watch_with_deadline(Session& session, FoundJob job, WaitGoal goal,
                                                 TimePoint deadline) {
  using namespace boost::asio::experimental::awaitable_operators;
  auto first = co_await (watch_until(session, std::move(job), goal) ||
                         session.clock().sleep_until(deadline));
  if (first.index() == 0) co_return std::get<0>(std::move(first));
  co_return Error(Code::kTimeout, "");
}

Result<int> wait_for_one(Session& session, const FoundJob& job, const WaitOptions& options,
                         WaitGoal goal, TimePoint deadline) {
  const std::string name = job.key().name;
  Result<ObjectPtr> end = job.object;
  if (judge_wait(job.body(), goal) == WaitVerdict::kNotYet) {
    end = session.run(watch_with_deadline(session, job, goal, deadline));
  }
  if (end.failed_with(Code::kTimeout)) {
    fmt::print(stderr, "job {} is not {} after {}: `trainyard describe {}` says how it stands\n",
               name, options.goal, options.timeout, name);
    return kTimedOut;
  }
  if (!end) return end.error();
  if (!*end) {
    fmt::print(stderr, "job {} was deleted\n", name);
    return goal == WaitGoal::kDeleted ? 0 : 1;
  }
  const Json& body = (*end)->body();
  const bool reached = judge_wait(body, goal) == WaitVerdict::kReached;
  const std::string reason = reached ? "" : explanation(body);
  fmt::print(stderr, "job {} has {}{}\n", name,
             job_has_ended(body) ? phase_of(body) : "become " + phase_of(body),
             reason.empty() ? "" : ": " + reason);
  return reached ? 0 : 1;
}

}  // namespace

Result<int> wait(const Flags& flags, const WaitOptions& options) {
  TRY(const WaitGoal goal, parse_wait_goal(options.goal));
  TRY(const auto timeout, parse_duration(options.timeout, "--timeout"));
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  const TimePoint deadline = session->clock().now() + timeout;
  std::vector<FoundJob> jobs;
  for (const std::string& name : options.jobs) {
    auto job = session->run(find_job(session->api(), session->ns(), name));
    if (job.failed_with(Code::kNotFound) && goal == WaitGoal::kDeleted) continue;
    if (!job) return std::move(job).error();
    jobs.push_back(*std::move(job));
  }
  for (const FoundJob& job : jobs) {
    TRY(const int code, wait_for_one(*session, job, options, goal, deadline));
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace trainyard::cli
