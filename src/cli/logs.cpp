#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/jobs_view.h"

#include <fmt/format.h>

#include <cstdio>

namespace trainyard::cli {
namespace {

awaitable<Result<ObjectPtr>> follow(Session& session, Key key) {
  JobFollower follower(session, std::move(key));
  co_return co_await follower.run();
}

Error nothing_found(const LogsOptions& options, bool has_replicas) {
  const std::string& job = options.job;
  if (options.previous && has_replicas) {
    return Error(Code::kNotFound,
                 fmt::format("job {} has no earlier attempt whose log is kept", job));
  }
  if (options.replica.empty()) {
    return Error(Code::kNotFound, fmt::format("job {} has no pods (yet)", job));
  }
  return Error(Code::kNotFound,
               fmt::format("job {} has no replica {}: `trainyard get {}` lists them", job,
                           options.replica, job));
}

Result<> print_log(Session& session, const LogSource& source, bool follow_it) {
  client::LogOptions options;
  options.pod_uid = source.uid;
  options.previous = source.previous;
  options.follow = follow_it;
  TRY(const auto stream, session.run(session.api().open_log(source.pod, options)));
  while (true) {
    TRY(const std::string piece, session.run(stream->read()));
    if (piece.empty()) return Ok();
    std::fwrite(piece.data(), 1, piece.size(), stdout);
    std::fflush(stdout);
  }
}

}  // namespace

Result<int> logs(const Flags& flags, const LogsOptions& options) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  const Key key{session->ns(), options.job};
  const auto job = session->run(find_job(session->api(), key));
  if (!job && !job.failed_with(Code::kNotFound)) return job.error();
  if (job && options.follow && options.replica.empty() && !options.previous) {
    TRY_OK(session->run(follow(*session, key)));
    return 0;
  }
  TRY(const std::vector<ObjectPtr> pods, session->run(list_pods_of(session->api(), key)));
  TRY(const std::vector<client::KeptLog> kept, session->run(session->api().kept_logs(key.ns)));
  const std::vector<LogSource> sources = choose_logs(pods, kept, options);
  LogsOptions any;
  any.job = options.job;
  const bool has_replicas = !choose_logs(pods, kept, any).empty();
  if (!job && !has_replicas) return job.error();
  if (sources.empty()) return nothing_found(options, has_replicas);
  for (const LogSource& source : sources) {
    if (sources.size() > 1) fmt::print("==> {} <==\n", source.replica);
    std::fflush(stdout);
    TRY_OK(print_log(*session, source, options.follow));
  }
  return 0;
}

}  // namespace trainyard::cli
