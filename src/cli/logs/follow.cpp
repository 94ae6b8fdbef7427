#include "cli/logs/follow.h"

#include "cli/logs/log_sources.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <deque>

namespace trainyard::cli {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> tagged_replicas(const Json& job, const std::string& wanted) {
  std::vector<std::string> names = replica_names(job);
  std::erase_if(names, [&](const std::string& name) { return !is_wanted_replica(name, wanted); });
  return names;
}

}  // namespace

std::vector<std::string> replica_names(const Json& job) {
  std::vector<std::string> names;
  for (const ReplicaGroup& group : replica_groups(job)) {
    // An elastic job may grow.
    const std::int64_t most = std::max(group.replicas, int_at(job, "spec.elastic.maxReplicas"));
    for (std::int64_t i = 0; i < most; ++i) {
      names.push_back(fmt::format("{}-{}", group.type, i));
    }
  }
  return names;
}

JobFollower::JobFollower(Session& session, FoundJob job, FollowOptions options)
    : session_(session),
      job_(std::move(job)),
      options_(std::move(options)),
      tagger_(tagged_replicas(job_.body(), options_.replica), wants_colours()),
      tasks_(session.loop()) {}

awaitable<Result<ObjectPtr>> JobFollower::run() {
  tasks_.spawn("waiting", tell_what_it_waits_for());
  auto job = co_await wait_finished();
  if (job || job.failed_with(Code::kNotFound)) co_await drain();
  co_await tasks_.stop();
  co_return job;
}

/// Until the first replica runs: nobody should look at an empty screen.
awaitable<void> JobFollower::tell_what_it_waits_for() {
  std::string told;
  while (logs_.empty()) {
    co_await session_.clock().sleep_for(2s);
    const auto pods = co_await list_pods_of(session_.api(), job_.body());
    const std::string reason = pods ? waiting_reason(*pods) : "";
    if (!logs_.empty() || reason.empty() || reason == told) continue;
    fmt::print(stderr, "{}\n", reason);
    told = reason;
  }
}

/// What the replicas wrote last may still be on its way.
awaitable<void> JobFollower::drain() {
  constexpr int kQuiet = 250;  // looks without anything new, five seconds in all
  for (int quiet = 0; quiet < kQuiet; quiet += options_.every_end ? 0 : 1) {
    co_await start_new_logs();
    const bool all_read =
        std::all_of(logs_.begin(), logs_.end(), [](const auto& log) { return log.second; });
    if (all_read && !(options_.every_end && some_run_)) break;
    const std::int64_t before = printed_;
    co_await session_.clock().sleep_for(20ms);
    if (printed_ != before) quiet = 0;
  }
}

awaitable<Result<ObjectPtr>> JobFollower::wait_finished() {
  int failures = 0;
  while (true) {
    auto job = co_await watch_job(failures);
    if (job) co_return job;
    const bool passing = job.failed_with(Code::kUnavailable) || job.failed_with(Code::kExpired);
    if (!passing || ++failures > 60) co_return job;
    // Watches end now and then, also with a server that is well: only the second failure counts.
    if (failures == 2) {
      fmt::print(stderr, "trainyard: the server does not answer, trying again for a minute\n");
    }
    co_await session_.clock().sleep_for(1s);
  }
}

awaitable<Result<ObjectPtr>> JobFollower::watch_job(int& failures) {
  const Key key = job_.key();
  const Error gone(Code::kNotFound, fmt::format("job {} was deleted", key.name));
  auto found = co_await session_.api().get(job_.resource, key);
  if (found.failed_with(Code::kNotFound)) co_return gone;
  CO_TRY(ObjectPtr job, std::move(found));
  client::ListOptions this_job;
  this_job.ns = key.ns;
  this_job.fields = "metadata.name=" + key.name;
  const std::string version(string_at(job->body(), "metadata.resourceVersion"));
  CO_TRY(const auto watch, co_await session_.api().watch(job_.resource, this_job, version));
  failures = 0;  // the server answers
  while (!job_has_ended(job->body())) {
    co_await start_new_logs();
    CO_TRY(const client::WatchEvent event, co_await watch->next());
    if (event.type == client::WatchEvent::Type::kBookmark) continue;
    if (event.type == client::WatchEvent::Type::kDeleted) co_return gone;
    job = event.object;
  }
  co_return job;
}

awaitable<void> JobFollower::start_new_logs() {
  const auto pods = co_await list_pods_of(session_.api(), job_.body());
  if (!pods) co_return;
  some_run_ = false;
  for (const ObjectPtr& pod : *pods) {
    start_log(pod->body());
    some_run_ = some_run_ || !has_ended(pod->body());
  }
  first_look_ = false;
}

void JobFollower::start_log(const Json& pod) {
  const std::string uid(uid_of(pod));
  if (logs_.contains(uid) || string_at(pod, "status.phase") == "Pending") return;
  Followed followed;
  followed.pod = key_of(pod);
  followed.uid = uid;
  const Json* labels = find(pod, "metadata.labels");
  followed.replica = labels == nullptr ? "" : replica_of(*labels);
  if (followed.replica.empty()) followed.replica = followed.pod.name;
  if (!is_wanted_replica(followed.replica, options_.replica)) return;
  followed.old = first_look_ && options_.tail.has_value();
  logs_[uid] = false;
  if (const int attempt = ++attempts_[followed.replica]; attempt > 1) {
    fmt::print(stderr, "{} was started anew (attempt {})\n", followed.replica, attempt);
  }
  const JsonArray& statuses = array_at(pod, "status.containerStatuses");
  if (!statuses.empty()) {
    followed.run = static_cast<int>(int_at(statuses.front(), "restartCount"));
  }
  tasks_.spawn("log", print_logs(std::move(followed)));
}

awaitable<void> JobFollower::print_logs(Followed followed) {
  // Without an answer there is nothing to leave out.
  if (followed.old) (void)co_await print_tail(followed, *options_.tail);
  while (co_await print_run(followed) && co_await wait_next_run(followed)) {
    ++followed.run;
    followed.printed = 0;
  }
  print(tagger_.finish(followed.replica));
  logs_[followed.uid] = true;
}

client::LogOptions JobFollower::log_options(const Followed& followed) const {
  client::LogOptions options;
  // The pod is named by its uid, so that its log is also found when another has taken its place.
  options.pod_uid = followed.uid;
  options.run = followed.run;
  options.container = options_.container;
  options.timestamps = options_.timestamps;
  options.since = options_.since;
  return options;
}

/// The last lines of what is there. All of it is read, so that the place to go on from is known.
awaitable<Result<>> JobFollower::print_tail(Followed& followed, std::int64_t lines) {
  CO_TRY(const auto stream, co_await session_.api().open_log(followed.pod, log_options(followed)));
  std::deque<std::string> last;
  std::string rest;
  std::int64_t size = 0;
  while (true) {
    CO_TRY(const std::string piece, co_await stream->read());
    if (piece.empty()) break;
    size += static_cast<std::int64_t>(piece.size());
    rest += piece;
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
      last.push_back(rest.substr(0, end + 1));
      rest.erase(0, end + 1);
      if (static_cast<std::int64_t>(last.size()) > lines) last.pop_front();
    }
  }
  followed.printed = size;
  last.push_back(rest);
  for (const std::string& line : last) print(tagger_.put(followed.replica, line));
  co_return Ok();
}

/// Until the run has ended, over breaks of the connection. False: it cannot be had any more.
awaitable<bool> JobFollower::print_run(Followed& followed) {
  for (int failures = 0; failures < 60; ++failures) {
    const std::int64_t before = followed.printed;
    const auto done = co_await print_run_on(followed);
    if (done) co_return true;
    if (followed.printed != before) failures = 0;
    if (!done.failed_with(Code::kUnavailable)) co_return false;
    constexpr int kTold = 4;  // a server that is only started anew is back sooner
    if (failures == kTold) {
      fmt::print(stderr, "the log of {} cannot be read, trying again for a minute: {}\n",
                 followed.pod.name, done.error().message());
    }
    co_await session_.clock().sleep_for(1s);
  }
  co_return false;
}

/// From where it stopped.
awaitable<Result<>> JobFollower::print_run_on(Followed& followed) {
  client::LogOptions options = log_options(followed);
  options.follow = true;
  CO_TRY(const auto stream, co_await session_.api().open_log(followed.pod, std::move(options)));
  std::int64_t skip = followed.printed;
  while (true) {
    CO_TRY(const std::string piece, co_await stream->read());
    if (piece.empty()) co_return Ok();
    std::string_view text = piece;
    const auto known = std::min(skip, static_cast<std::int64_t>(text.size()));
    text.remove_prefix(static_cast<std::size_t>(known));
    skip -= known;
    followed.printed += static_cast<std::int64_t>(text.size());
    printed_ += static_cast<std::int64_t>(text.size());
    print(tagger_.put(followed.replica, text));
  }
}

/// Whether the pod starts its container again.
awaitable<bool> JobFollower::wait_next_run(const Followed& followed) {
  while (true) {
    const auto pod = co_await session_.api().get(kPods, followed.pod);
    if (pod) {
      const Json& body = (*pod)->body();
      if (uid_of(body) != followed.uid) co_return false;
      const JsonArray& statuses = array_at(body, "status.containerStatuses");
      if (!statuses.empty() && int_at(statuses.front(), "restartCount") > followed.run) {
        co_return true;
      }
      if (has_ended(body)) co_return false;
    } else if (!pod.failed_with(Code::kUnavailable)) {
      co_return false;
    }
    co_await session_.clock().sleep_for(200ms);
  }
}

void JobFollower::print(const std::string& text) {
  if (text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace trainyard::cli
