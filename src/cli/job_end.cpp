#include "cli/job_end.h"

#include "cli/follow.h"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>

namespace trainyard::cli {
namespace {

constexpr int kInterrupted = 128 + SIGINT;

void say_it_runs_on(const std::string& job) {
  fmt::print(stderr,
             "\njob {} runs on: `trainyard logs -f {}` shows it again, `trainyard delete {}` ends "
             "it\n",
             job, job, job);
}

/// The first Ctrl-C ends the job or leaves it alone, a second one leaves at once.
awaitable<void> wait_interrupt(Session& session, FoundJob job, OnInterrupt on_interrupt,
                               bool& interrupted) {
  boost::asio::signal_set signals(session.loop(), SIGINT, SIGTERM);
  co_await signals.async_wait(boost::asio::use_awaitable);
  const std::string name = job.key().name;
  if (on_interrupt == OnInterrupt::kLeave) {
    say_it_runs_on(name);
    std::_Exit(kInterrupted);
  }
  interrupted = true;
  fmt::print(stderr, "\nstopping job {} (Ctrl-C again: do not wait for its end)\n", name);
  client::DeleteOptions this_one;
  this_one.uid = uid_of(job.body());
  const auto removed = co_await session.api().remove(job.resource, job.key(), std::move(this_one));
  if (!removed) fmt::print(stderr, "trainyard: {}\n", removed.error().message());
  co_await signals.async_wait(boost::asio::use_awaitable);
  std::_Exit(kInterrupted);
}

awaitable<Result<ObjectPtr>> follow(Session& session, FoundJob job, OnInterrupt on_interrupt,
                                    bool& interrupted) {
  TaskGroup tasks(session.loop());
  tasks.spawn("interrupt", wait_interrupt(session, job, on_interrupt, interrupted));
  FollowOptions options;
  options.every_end = on_interrupt == OnInterrupt::kStop;
  JobFollower follower(session, std::move(job), std::move(options));
  auto finished = co_await follower.run();
  co_await tasks.stop();
  co_return finished;
}

}  // namespace

Result<int> follow_to_end(Session& session, const FoundJob& job, OnInterrupt on_interrupt) {
  bool interrupted = false;
  const auto finished = session.run(follow(session, job, on_interrupt, interrupted));
  if (interrupted && finished.failed_with(Code::kNotFound)) {
    fmt::print(stderr, "job {} stopped\n", job.key().name);
    return kInterrupted;
  }
  if (!finished) return finished.error();
  const Json& body = (*finished)->body();
  const bool succeeded = phase_of(body) == "Succeeded";
  std::string reason = explanation(body);
  int code = succeeded ? 0 : 1;
  const auto pods = session.run(list_pods_of(session.api(), body));
  const std::vector<ReplicaState> states =
      replica_states(body, pods ? *pods : std::vector<ObjectPtr>());
  const ReplicaState* failure = first_failure(states);
  if (failure != nullptr && (!succeeded || on_interrupt == OnInterrupt::kStop)) {
    code = static_cast<int>(*failure->exit_code);
    if (succeeded)
      reason = fmt::format("by its first replica, but {} exited with {}", failure->replica, code);
  }
  fmt::print(stderr, "job {} {}{}\n", name_of(body), phase_of(body),
             reason.empty() ? "" : ": " + reason);
  return code;
}

}  // namespace trainyard::cli
