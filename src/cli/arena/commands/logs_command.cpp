#include "cli/arena/commands.h"
#include "cli/arena/commands/log_choice.h"
#include "cli/arena/views/load_jobs.h"
#include "cli/arena/views/view_commands.h"
#include "cli/logs/follow.h"
#include "cli/logs/log_print.h"

#include <fmt/format.h>

namespace trainyard::cli::arena {
namespace {

awaitable<Result<>> follow_all(Session& session, FoundJob job, FollowOptions options) {
  JobFollower follower(session, std::move(job), std::move(options));
  CO_TRY_OK(co_await follower.run());
  co_return Ok();
}

/// The job with all instances of which there is a log, also when it is deleted.
Result<TrainingJob> load_job_with_kept(Context& context, const std::string& name,
                                       const std::string& type) {
  auto job = load_job(context, name, type);
  if (!job && !job.failed_with(Code::kNotFound)) return std::move(job).error();
  TRY(Session* const session, context.session());
  const auto kept = session->run(session->api().kept_logs(context.ns()));
  if (!kept) return job;  // a server that keeps none, or does not show them
  if (job) return with_kept_instances(*std::move(job), *kept);
  std::optional<TrainingJob> gone = job_from_kept(name, context.ns(), *kept);
  if (!gone) return job;
  TRY(const Visibility visibility, context.visibility(false));
  if (!visibility.sees(gone->body())) return job;
  context.log().info(fmt::format("the job {} is deleted: this is what is kept of its logs", name));
  return *std::move(gone);
}

/// A pod may be about to start: it is looked at a few times before anybody is told that it waits.
Result<const Json*> started_instance(Context& context, TrainingJob& job, const LogsFlags& flags) {
  constexpr int kLooks = 5;
  for (int look = 1;; ++look) {
    TRY(const Json* pod, choose_instance(job, flags.instance));
    if (flags.previous || !has_not_started(*pod)) return pod;
    if (look == kLooks) {
      return Error(Code::kInvalid,
                   fmt::format("instance {} is not running: `arena get {}` says what it waits for",
                               name_of(*pod), job.name()));
    }
    TRY(job, load_job_with_kept(context, job.name(), job.type.name));
  }
}

Result<> print_all(Session& session, const TrainingJob& job, const LogsFlags& flags,
                   client::LogOptions options) {
  const bool lives = !uid_of(job.body()).empty();
  options.container = flags.container.empty() ? job.type.container : flags.container;
  if (flags.follow && lives && !flags.previous) {
    FollowOptions follow;
    follow.container = options.container;
    follow.timestamps = options.timestamps;
    follow.tail = options.tail_lines;
    follow.since = options.since;
    return session.run(follow_all(session, {job.type.resource, job.object}, std::move(follow)));
  }
  std::vector<LogSource> sources;
  for (const ObjectPtr& pod : job.pods) {
    sources.push_back(source_of(job, pod->body(), flags.previous));
  }
  return session.run(print_merged(session, std::move(sources), std::move(options)));
}

Result<int> print_logs(Context& context, const std::string& name, const LogsFlags& flags) {
  TRY(Session* const session, context.session());
  client::LogOptions options;
  TRY(options.since, log_start(flags, session->clock().wall()));
  options.timestamps = flags.timestamps;
  if (flags.tail > 0) options.tail_lines = flags.tail;
  TRY(TrainingJob job, load_job_with_kept(context, name, flags.type));
  if (flags.all && !flags.instance.empty()) {
    return Error(Code::kInvalid, "--all means every instance: leave out -i");
  }
  // Who follows all instances also waits for the first.
  if (flags.all && (flags.follow || !job.pods.empty())) {
    TRY_OK(print_all(*session, job, flags, std::move(options)));
    return 0;
  }
  TRY(const Json* pod, started_instance(context, job, flags));
  options.container = choose_container(job, *pod, flags.container);
  options.follow = flags.follow && !flags.previous;
  TRY_OK(
      session->run(print_log(*session, source_of(job, *pod, flags.previous), std::move(options))));
  return 0;
}

}  // namespace

void add_logs_command(Command& root) {
  const auto options = std::make_shared<LogsFlags>();
  Command& logs = root.add("logs", "Print the log of a job.");
  logs.aliases = {"log"};
  logs.usage = "JOB";
  logs.least_words = logs.most_words = 1;
  logs.missing = "the name of the job is missing";
  logs.offer = Offer::kJob;
  FlagSet& flags = logs.flags;
  flags.toggle("follow", 'f', options->follow, "until the container ends");
  flags.number("tail", 't', options->tail, "N", "only the last N lines; 0 or less: all");
  flags.text("instance", 'i', options->instance, "POD", "of this instance, instead of the chief")
      .offering(Offer::kInstance);
  flags.text("container", 'c', options->container, "CONTAINER",
             "of this container, instead of the one that trains");
  flags.text("since", 0, options->since, "TIME", "only what is not older than this: 1h30m, 90s");
  flags.text("since-time", 0, options->since_time, "TIME",
             "only what was written since 2024-05-06T09:30:00Z");
  flags.toggle("timestamps", 0, options->timestamps, "the time before each line");
  flags.toggle("all", 0, options->all,
               "of all instances, line by line in the order of time, each with its name");
  flags.toggle("previous", 0, options->previous, "of the run before the last restart");
  add_type_flag(flags, options->type);
  logs.notes =
      "Without -i it is the log of the job's chief: the master, chief or launcher. While the code\n"
      "is fetched it is the log of that. Logs of instances that are gone are kept for a while.";
  logs.example =
      "arena logs mnist\n"
      "arena logs mnist -f\n"
      "arena logs mnist -i mnist-worker-0 -t 20\n"
      "arena logs mnist --all";
  logs.run = [options](Context& context, const Command::Words& words) {
    return print_logs(context, words.front(), *options);
  };
}

}  // namespace trainyard::cli::arena
