#include "cli/follow.h"

#include "cli/jobs_view.h"
#include "object/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace trainyard::cli {

using namespace std::chrono_literals;

JobFollower::JobFollower(Session& session, Key job)
    : session_(session), job_(std::move(job)), tasks_(session.loop()) {}

awaitable<Result<ObjectPtr>> JobFollower::run() {
  auto job = co_await wait_finished();
  // What the replicas wrote last may still be on its way.
  constexpr int kQuiet = 250;  // looks without anything new, five seconds in all
  for (int quiet = 0; job && quiet < kQuiet; ++quiet) {
    co_await start_new_logs();
    if (std::all_of(logs_.begin(), logs_.end(), [](const auto& log) { return log.second; })) break;
    const std::int64_t before = printed_;
    co_await session_.clock().sleep_for(20ms);
    if (printed_ != before) quiet = 0;
  }
  co_await tasks_.stop();
  co_return job;
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
  CO_TRY(ObjectPtr job, co_await find_job(session_.api(), job_));
  client::ListOptions this_job;
  this_job.ns = job_.ns;
  this_job.fields = "metadata.name=" + job_.name;
  const Resource resource = resource_of(job->body());
  const std::string version(string_at(job->body(), "metadata.resourceVersion"));
  CO_TRY(const auto watch, co_await session_.api().watch(resource, this_job, version));
  failures = 0;  // the server answers
  while (!has_ended(job->body())) {
    co_await start_new_logs();
    CO_TRY(const client::WatchEvent event, co_await watch->next());
    if (event.type == client::WatchEvent::Type::kBookmark) continue;
    if (event.type == client::WatchEvent::Type::kDeleted) {
      co_return Error(Code::kNotFound, fmt::format("job {} was deleted", job_.name));
    }
    job = event.object;
  }
  co_return job;
}

awaitable<void> JobFollower::start_new_logs() {
  const auto pods = co_await list_pods_of(session_.api(), job_);
  if (!pods) co_return;
  for (const ObjectPtr& pod : *pods) {
    const Json& body = pod->body();
    const std::string uid(uid_of(body));
    const std::string_view phase = string_at(body, "status.phase");
    if (logs_.contains(uid) || phase == "Pending") continue;
    logs_[uid] = false;
    Followed followed;
    followed.pod = key_of(body);
    followed.uid = uid;
    const JsonArray& statuses = array_at(body, "status.containerStatuses");
    if (!statuses.empty()) {
      followed.run = static_cast<int>(int_at(statuses.front(), "restartCount"));
    }
    if (pods->size() > 1) {
      followed.prefix =
          fmt::format("[{}-{}] ", label_of(body, "replica-type"), label_of(body, "replica-index"));
    }
    tasks_.spawn("log", print_logs(std::move(followed)));
  }
}

awaitable<void> JobFollower::print_logs(Followed followed) {
  while (co_await print_run(followed) && co_await wait_next_run(followed)) {
    ++followed.run;
    followed.printed = 0;
  }
  logs_[followed.uid] = true;
}

/// Until the run has ended, over breaks of the connection. False: it cannot be had any more.
awaitable<bool> JobFollower::print_run(Followed& followed) {
  for (int failures = 0; failures < 60; ++failures) {
    const std::int64_t before = followed.printed;
    const auto done = co_await print_run_on(followed);
    if (done) co_return true;
    if (followed.printed != before) failures = 0;
    if (!done.failed_with(Code::kUnavailable)) co_return false;
    co_await session_.clock().sleep_for(1s);
  }
  co_return false;
}

/// From where it stopped. The pod is named by its uid, so that its log is also found when another
/// has taken its place.
awaitable<Result<>> JobFollower::print_run_on(Followed& followed) {
  client::LogOptions options;
  options.follow = true;
  options.pod_uid = followed.uid;
  options.run = followed.run;
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
    print(followed.prefix, text);
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

void JobFollower::print(const std::string& prefix, std::string_view text) {
  printed_ += static_cast<std::int64_t>(text.size());
  if (prefix.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    bool& in_line = in_line_[prefix];
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      if (!in_line) std::fwrite(prefix.data(), 1, prefix.size(), stdout);
      std::fwrite(text.data(), 1, end, stdout);
      in_line = text[end - 1] != '\n';
      text.remove_prefix(end);
    }
  }
  std::fflush(stdout);
}

}  // namespace trainyard::cli
