#include "cli/commands.h"
#include "cli/duration.h"
#include "cli/follow.h"
#include "cli/log_merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

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

client::LogOptions log_options(const LogSource& source, const LogsOptions& options,
                               std::optional<WallTime> since) {
  client::LogOptions wanted;
  wanted.pod_uid = source.uid;
  wanted.previous = source.previous;
  wanted.tail_lines = options.tail;
  wanted.since = since;
  return wanted;
}

awaitable<Result<>> print_one(Session& session, LogSource source, client::LogOptions options) {
  CO_TRY(const auto stream, co_await session.api().open_log(source.pod, std::move(options)));
  while (true) {
    CO_TRY(const std::string piece, co_await stream->read());
    if (piece.empty()) co_return Ok();
    std::fwrite(piece.data(), 1, piece.size(), stdout);
    std::fflush(stdout);
  }
}

/// All at once, in the order of time.
awaitable<Result<>> print_merged(Session& session, std::vector<LogSource> sources,
                                 LogsOptions options, std::optional<WallTime> since) {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<client::ByteStream>> streams;
  for (const LogSource& source : sources) {
    names.push_back(source.replica);
    client::LogOptions wanted = log_options(source, options, since);
    wanted.timestamps = true;
    auto stream = co_await session.api().open_log(source.pod, std::move(wanted));
    // A container that has not started has no log; the others have.
    if (!stream && !stream.failed_with(Code::kBadRequest) && !stream.failed_with(Code::kNotFound)) {
      co_return std::move(stream).error();
    }
    streams.push_back(stream ? *std::move(stream) : nullptr);
  }
  LineTagger tagger(names, wants_colours());
  LogMerger merger(sources.size(), options.timestamps);
  for (std::vector<std::size_t> wanted = merger.wanted(); !wanted.empty();
       wanted = merger.wanted()) {
    for (const std::size_t number : wanted) {
      std::string piece;
      if (streams[number]) {
        CO_TRY(piece, co_await streams[number]->read());
      }
      if (piece.empty()) {
        merger.end(number);
      } else {
        merger.put(number, piece);
      }
    }
    std::string out;
    for (const LogMerger::Line& line : merger.take()) {
      const std::string& replica = names[line.source];
      out += tagger.put(replica, line.text) + tagger.finish(replica);
    }
    std::fwrite(out.data(), 1, out.size(), stdout);
    std::fflush(stdout);
  }
  co_return Ok();
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
    const bool known = options.replica.empty() || std::find(replicas.begin(), replicas.end(),
                                                            options.replica) != replicas.end();
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
  if (sources.size() > 1) {
    TRY_OK(session->run(print_merged(*session, sources, options, since)));
    return 0;
  }
  client::LogOptions wanted = log_options(sources.front(), options, since);
  wanted.timestamps = options.timestamps;
  TRY_OK(session->run(print_one(*session, sources.front(), std::move(wanted))));
  return 0;
}

}  // namespace trainyard::cli
