#include "cli/command/commands.h"
#include "cli/logs/follow.h"
#include "cli/logs/log_print.h"
#include "cli/terminal/duration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

awaitable<Result<ObjectPtr>> follow(Session& session, FoundJob job, FollowOptions options) {
  JobFollower follower(session, std::move(job), std::move(options));
  co_return co_await follower.run();
}

Error nothing_found(const std::string& job, const LogsOptions& options,
                    const std::vector<LogSource>& there) {
  if (there.empty()) {
    return Error(Code::kNotFound, fmt::format("job {} has no pods that have started (yet): "
                                              "`trainyard describe {}` says why",
                                              job, job));
  }
  if (options.previous) {
    return Error(Code::kNotFound,
                 fmt::format("job {} has no earlier attempt whose log is kept", job));
  }
  std::vector<std::string> names;
  for (const LogSource& source : there) names.push_back(source.replica);
  return Error(Code::kNotFound, fmt::format("job {} has no replica {}: it has {}", job,
                                            options.replica, fmt::join(names, ", ")));
}

/// Of an earlier job with the same name is not asked when there is one now.
void leave_out_older(std::vector<client::KeptLog>& kept, const Json& job) {
  const auto created = parse_time(string_at(job, "metadata.creationTimestamp"));
  if (!created) return;
  std::erase_if(kept, [&](const client::KeptLog& log) { return log.kept < *created; });
}

}  // namespace

Result<int> logs(const Flags& flags, const LogsOptions& options) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const JobName name, parse_job_name(options.job));
  std::optional<WallTime> since;
  if (!options.since.empty()) {
    TRY(const auto back, parse_duration(options.since, "--since"));
    since = session->clock().wall() - back;
  }
  const auto job = session->run(find_job(session->api(), session->ns(), options.job));
  if (!job && !job.failed_with(Code::kNotFound)) return job.error();
  if (job && options.follow && !options.previous && !options.all) {
    FollowOptions wanted{options.replica, options.timestamps, options.tail, since, false};
    const std::vector<std::string> replicas = replica_names(job->body());
    // Before there are pods, too: that is when people begin to follow.
    const bool known = std::ranges::any_of(replicas, [&](const std::string& replica) {
      return is_wanted_replica(replica, options.replica);
    });
    if (known) {
      TRY_OK(session->run(follow(*session, *job, std::move(wanted))));
      return 0;
    }
  }
  std::vector<ObjectPtr> pods;
  if (job) {
    TRY(pods, session->run(list_pods_of(session->api(), job->body())));
  }
  TRY(std::vector<client::KeptLog> kept, session->run(session->api().kept_logs(session->ns())));
  if (job) leave_out_older(kept, job->body());
  const std::vector<LogSource> sources = choose_logs(pods, kept, name.name, options);
  const std::vector<LogSource> there = choose_logs(pods, kept, name.name, LogsOptions());
  if (!job && there.empty()) return job.error();
  if (sources.empty()) return nothing_found(name.name, options, there);
  client::LogOptions wanted;
  wanted.timestamps = options.timestamps;
  wanted.tail_lines = options.tail;
  wanted.since = since;
  if (sources.size() > 1) {
    TRY_OK(session->run(print_merged(*session, sources, wanted)));
    return 0;
  }
  TRY_OK(session->run(print_log(*session, sources.front(), wanted)));
  return 0;
}

}  // namespace trainyard::cli
