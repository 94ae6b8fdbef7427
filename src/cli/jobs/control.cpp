#include "cli/command/commands.h"
#include "cli/command/jobs_view.h"
#include "cli/jobs/scaling.h"

#include <fmt/format.h>

/// Commands that change what a job's spec asks for while it exists.
namespace trainyard::cli {
namespace {

Result<> set_paused(Session& session, const FoundJob& job, bool paused) {
  const std::string name = job.key().name;
  if (job_has_ended(job.body())) {
    return Error(Code::kInvalid, fmt::format("job {} has {} already: there is nothing to {}", name,
                                             phase_of(job.body()), paused ? "pause" : "resume"));
  }
  if (is_paused(job.body()) == paused) {
    fmt::print("job {} is {} already\n", name, paused ? "paused" : "not paused");
    return Ok();
  }
  TRY_OK(session.run(session.api().patch(job.resource, job.key(), client::PatchType::kMerge,
                                         pause_patch(job.body(), paused), "")));
  fmt::print("job {} {}\n", name,
             paused ? "is being paused; `trainyard resume` lets it go on" : "goes on");
  return Ok();
}

Result<int> set_all_paused(const Flags& flags, const std::vector<std::string>& names, bool paused) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  std::vector<FoundJob> jobs;
  for (const std::string& name : names) {
    TRY(FoundJob job, session->run(find_job(session->api(), session->ns(), name)));
    jobs.push_back(std::move(job));
  }
  for (const FoundJob& job : jobs) TRY_OK(set_paused(*session, job, paused));
  return 0;
}

}  // namespace

Result<int> pause(const Flags& flags, const std::vector<std::string>& jobs) {
  return set_all_paused(flags, jobs, true);
}

Result<int> resume(const Flags& flags, const std::vector<std::string>& jobs) {
  return set_all_paused(flags, jobs, false);
}

Result<int> scale(const Flags& flags, const std::string& name, std::int64_t replicas) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const FoundJob job, session->run(find_job(session->api(), session->ns(), name)));
  if (job_has_ended(job.body())) {
    return Error(Code::kInvalid, fmt::format("job {} has {} already: there is nothing to scale",
                                             job.key().name, phase_of(job.body())));
  }
  TRY(Json patch, scale_patch(job.body(), replicas));
  TRY_OK(session->run(session->api().patch(job.resource, job.key(), client::PatchType::kMerge,
                                           std::move(patch), "")));
  fmt::print("job {} is to have {} replica{}\n", job.key().name, replicas,
             replicas == 1 ? "" : "s");
  return 0;
}

}  // namespace trainyard::cli
