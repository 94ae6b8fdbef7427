#include "cli/start/job_end.h"

#include "cli/logs/follow.h"
#include "cli/terminal/phase_words.h"
#include "monitor/progress/progress.h"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

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

std::optional<std::chrono::seconds> took(const Json& job) {
  const auto started = parse_time(string_at(job, "status.startTime"));
  const auto ended = parse_time(string_at(job, "status.completionTime"));
  if (!started || !ended) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(*ended - *started);
}

/// What the replica that trains has told last, such as its loss: the first that tells of any.
awaitable<std::vector<std::pair<std::string, double>>> last_values(client::RemoteApi& api,
                                                                   std::vector<ObjectPtr> pods) {
  constexpr std::size_t kMostPods = 4;
  for (std::size_t i = 0; i < std::min(pods.size(), kMostPods); ++i) {
    client::LogOptions options;
    options.pod_uid = uid_of(pods[i]->body());
    options.timestamps = true;
    options.tail_lines = 200;
    options.limit_bytes = 256 << 10;
    const auto stream = co_await api.open_log(key_of(pods[i]->body()), std::move(options));
    std::string text;
    while (stream) {
      const auto piece = co_await (*stream)->read();
      if (!piece || piece->empty()) break;
      text += *piece;
    }
    monitor::ProgressOfLog log;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t blank = line.find(' ');
      const auto time = parse_time(line.substr(0, blank));
      if (time && blank != std::string::npos) log.add(*time, line.substr(blank + 1));
    }
    const auto progress = log.tell(WallTime());
    if (progress && !progress->values.empty()) co_return progress->values;
  }
  co_return std::vector<std::pair<std::string, double>>();
}

awaitable<Result<ObjectPtr>> follow(Session& session, FoundJob job, OnInterrupt on_interrupt,
                                    bool& interrupted) {
  TaskGroup tasks(session.loop());
  tasks.spawn_contained("interrupt", wait_interrupt(session, job, on_interrupt, interrupted));
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
  std::string reason = succeeded ? "" : explanation(body);
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
  JobEnd end{std::string(name_of(body)), phase_of(body), took(body), reason};
  if (succeeded) {
    end.values = session.run(last_values(session.api(), pods ? *pods : std::vector<ObjectPtr>()));
  }
  fmt::print(stderr, "{}\n", end_line(end, wants_colours(STDERR_FILENO)));
  return code;
}

}  // namespace trainyard::cli
