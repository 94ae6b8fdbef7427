#include "cli/command/commands.h"
#include "cli/command/jobs_view.h"
#include "cli/command/print.h"
#include "cli/jobs/job_progress.h"
#include "cli/jobs/job_story.h"
#include "cli/logs/log_lines.h"
#include "cli/terminal/confirm.h"
#include "cli/terminal/phase_words.h"
#include "cli/terminal/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

void print_section(const char* title, const std::vector<std::string>& heading, const Rows& rows) {
  if (rows.empty()) return;
  fmt::print("\n{}\n{}", title, format_table(heading, rows));
}

Rows condition_rows(const Json& job) {
  Rows rows;
  for (const Json& condition : array_at(job, "status.conditions")) {
    rows.push_back({std::string(string_at(condition, "type")),
                    std::string(string_at(condition, "status")),
                    std::string(string_at(condition, "lastTransitionTime")),
                    std::string(string_at(condition, "message"))});
  }
  return rows;
}

Rows replica_rows(const std::vector<ReplicaState>& states, bool wide) {
  Rows rows;
  for (const ReplicaState& state : states) {
    rows.push_back({state.pod, coloured_phase(state.phase, wants_colours()),
                    state.exit_code ? std::to_string(*state.exit_code) : "-",
                    std::to_string(state.restarts)});
    if (!wide) continue;
    for (const std::string* more : {&state.node, &state.started, &state.ended}) {
      rows.back().push_back(more->empty() ? "-" : *more);
    }
  }
  return rows;
}

Rows event_rows(const std::vector<ObjectPtr>& events) {
  Rows rows;
  for (const ObjectPtr& event : events) {
    rows.push_back({event_time(event->body()), std::string(string_at(event->body(), "type")),
                    std::string(string_at(event->body(), "reason")),
                    std::string(string_at(event->body(), "message"))});
  }
  return rows;
}

/// KIND/NAME, which every command takes.
bool print_jobs(const Flags& flags, const std::vector<FoundJob>& jobs,
                const std::vector<JobKind>& kinds) {
  std::vector<std::string> names;
  std::vector<ObjectPtr> objects;
  for (const FoundJob& job : jobs) {
    objects.push_back(job.object);
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const JobKind& one) {
      return one.resource == job.resource;
    });
    names.push_back(fmt::format("{}{}", kind == kinds.end() ? "" : word_for(*kind, kinds) + "/",
                                name_of(job.body())));
  }
  if (flags.output == "name") return print_names(flags, names);
  return print_objects(flags, objects);
}

using Progresses = std::map<std::string, std::string>;

std::string progress_in(const Progresses& progresses, const Json& job) {
  const auto found = progresses.find(std::string(uid_of(job)));
  return found == progresses.end() || job_has_ended(job) ? "" : found->second;
}

std::vector<std::string> job_row(const Json& job, WallTime now, bool with_namespace,
                                 const Progresses* wide) {
  std::vector<std::string> row{std::string(name_of(job))};
  if (with_namespace) row.emplace_back(namespace_of(job));
  row.insert(row.end(),
             {std::string(string_at(job, "kind")), coloured_phase(phase_of(job), wants_colours()),
              replica_summary(job), age_of(job, now)});
  if (wide != nullptr) {
    const std::string progress = progress_in(*wide, job);
    row.push_back(duration_of(job, now));
    row.push_back(asked_for(job, "cpu"));
    row.push_back(asked_for(job, "memory"));
    row.push_back(asked_for(job, "nvidia.com/gpu"));
    row.push_back(progress.empty() ? "-" : progress);
    row.push_back(explanation(job));
  }
  return row;
}

void print_summary(const Json& job, const std::vector<ObjectPtr>& pods, const std::string& progress,
                   WallTime now) {
  fmt::print("Name:       {}\nNamespace:  {}\nKind:       {}\nPhase:      {}\nAge:        {}\n",
             name_of(job), namespace_of(job), string_at(job, "kind"),
             coloured_phase(phase_of(job), wants_colours()), age_of(job, now));
  std::string reason = explanation(job);
  if (reason.empty()) reason = waiting_reason(pods);
  if (!reason.empty()) fmt::print("Reason:     {}\n", reason);
  if (!progress.empty()) fmt::print("Progress:   {}\n", progress);
}

Result<> print_job(Session& session, const Flags& flags, const FoundJob& job) {
  const Json& body = job.body();
  const bool wide = flags.output == "wide";
  TRY(const std::vector<ObjectPtr> pods, session.run(list_pods_of(session.api(), body)));
  const Progresses progresses =
      session.run(job_progress(session.api(), job.key().ns, pods_label(body)));
  print_summary(body, pods, progress_in(progresses, body), session.clock().wall());
  std::vector<std::string> heading{"NAME", "PHASE", "EXIT CODE", "RESTARTS"};
  if (wide) heading.insert(heading.end(), {"NODE", "STARTED", "ENDED"});
  print_section("Replicas", heading, replica_rows(replica_states(body, pods), wide));
  print_section("Conditions", {"TYPE", "STATUS", "SINCE", "MESSAGE"}, condition_rows(body));
  TRY(const std::vector<ObjectPtr> events,
      session.run(list_events(session.api(), job.key().ns, {std::string(uid_of(body))})));
  print_section("Events", {"TIME", "TYPE", "REASON", "MESSAGE"}, event_rows(events));
  return Ok();
}

Result<std::vector<FoundJob>> find_all(Session& session, const std::vector<std::string>& names) {
  std::vector<FoundJob> jobs;
  for (const std::string& name : names) {
    TRY(FoundJob job, session.run(find_job(session.api(), session.ns(), name)));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace

Result<int> list(const Flags& flags, const std::string& labels) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  const std::string ns = flags.all_namespaces ? "" : session->ns();
  TRY(const std::vector<FoundJob> jobs, session->run(list_jobs(session->api(), ns, labels)));
  TRY(const std::vector<JobKind> kinds, session->run(discover_job_kinds(session->api())));
  if (print_jobs(flags, jobs, kinds)) return 0;
  if (jobs.empty()) {
    fmt::print(stderr, "no jobs{}; `trainyard submit -f FILE` makes one, `trainyard run` too\n",
               ns.empty() ? "" : " in namespace " + ns);
    return 0;
  }
  const bool wide = flags.output == "wide";
  std::vector<std::string> heading{"NAME"};
  if (flags.all_namespaces) heading.emplace_back("NAMESPACE");
  heading.insert(heading.end(), {"KIND", "PHASE", "REPLICAS", "AGE"});
  if (wide)
    heading.insert(heading.end(), {"DURATION", "CPU", "MEMORY", "GPU", "PROGRESS", "REASON"});
  // One question for all, of the first replica of each type: there is where trainings print.
  Progresses progresses;
  if (wide) progresses = session->run(job_progress(session->api(), ns, "replica-index=0"));
  Rows rows;
  for (const FoundJob& job : jobs) {
    rows.push_back(job_row(job.body(), session->clock().wall(), flags.all_namespaces,
                           wide ? &progresses : nullptr));
  }
  fmt::print("{}", format_table(heading, rows));
  return 0;
}

Result<int> get(const Flags& flags, const std::vector<std::string>& names) {
  if (names.empty()) return list(flags, "");
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const std::vector<FoundJob> jobs, find_all(*session, names));
  if (flags.output == "name") {
    TRY(const std::vector<JobKind> kinds, session->run(discover_job_kinds(session->api())));
    print_jobs(flags, jobs, kinds);
    return 0;
  }
  if (jobs.size() == 1 ? print_object(flags, jobs.front().object) : print_jobs(flags, jobs, {})) {
    return 0;
  }
  for (const FoundJob& job : jobs) {
    if (&job != &jobs.front()) fmt::print("\n");
    TRY_OK(print_job(*session, flags, job));
  }
  return 0;
}

void print_job_names(const Flags& flags, const std::string& beginning) {
  const auto session = Session::open(flags);
  if (!session) return;
  const auto jobs = (*session)->run(list_jobs((*session)->api(), (*session)->ns()));
  if (!jobs) return;
  for (const FoundJob& job : *jobs) {
    const std::string_view name = name_of(job.body());
    if (name.starts_with(beginning)) fmt::print("{}\n", name);
  }
}

Result<int> describe(const Flags& flags, const std::vector<std::string>& names) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const std::vector<FoundJob> jobs, find_all(*session, names));
  for (const FoundJob& job : jobs) {
    const Json& body = job.body();
    TRY(const std::vector<ObjectPtr> pods, session->run(list_pods_of(session->api(), body)));
    std::vector<std::string> uids{std::string(uid_of(body))};
    for (const ObjectPtr& pod : pods) uids.emplace_back(uid_of(pod->body()));
    TRY(const std::vector<ObjectPtr> events,
        session->run(list_events(session->api(), job.key().ns, uids)));
    if (&job != &jobs.front()) fmt::print("\n");
    fmt::print("{}", tell_story(body, pods, events, session->clock().wall()));
  }
  return 0;
}

Result<int> remove(const Flags& flags, const DeleteOptions& options) {
  if (options.all != options.jobs.empty()) {
    return Error(Code::kInvalid, options.all ? "--all takes no names"
                                             : "say which jobs, or --all: `trainyard list` shows "
                                               "them");
  }
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  std::vector<FoundJob> jobs;
  if (options.all) {
    TRY(jobs, session->run(list_jobs(session->api(), session->ns(), "")));
    if (jobs.empty()) {
      fmt::print(stderr, "no jobs in namespace {}\n", session->ns());
      return 0;
    }
    TRY_OK(confirm(fmt::format("delete all {} jobs in namespace {}?", jobs.size(), session->ns()),
                   options.yes));
  } else {
    // All are looked for before the first goes: a typing error deletes nothing.
    TRY(jobs, find_all(*session, options.jobs));
  }
  for (const FoundJob& job : jobs) {
    client::DeleteOptions this_one;
    this_one.uid = uid_of(job.body());
    TRY_OK(session->run(session->api().remove(job.resource, job.key(), std::move(this_one))));
    fmt::print("job {} deleted\n", name_of(job.body()));
  }
  return 0;
}

}  // namespace trainyard::cli
