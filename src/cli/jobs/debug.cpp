#include "cli/command/commands.h"
#include "cli/jobs/debug_copy.h"
#include "cli/start/creation.h"
#include "cli/terminal/confirm.h"

#include <fmt/format.h>

namespace trainyard::cli {
namespace {

using namespace std::chrono_literals;

/// Removes the job and all that belongs to it, so that another may have its name.
awaitable<Result<>> remove_wholly(Session& session, FoundJob job) {
  client::DeleteOptions options;
  options.uid = uid_of(job.body());
  options.propagation = "Foreground";
  CO_TRY_OK(co_await session.api().remove(job.resource, job.key(), std::move(options)));
  while (true) {
    const auto still = co_await session.api().get(job.resource, job.key());
    if (still.failed_with(Code::kNotFound)) co_return Ok();
    if (!still) co_return still.error();
    co_await session.clock().sleep_for(100ms);
  }
}

Result<Json> make_debug_job(Session& session, const DebugOptions& options) {
  if (!options.file.empty()) {
    TRY(const std::vector<Json> objects, read_objects(options.file));
    if (objects.size() != 1 || !is_job(objects.front())) {
      return Error(Code::kInvalid, fmt::format("{} must hold one job and nothing else to debug it",
                                               shown_name(options.file)));
    }
    return debug_copy(objects.front(), std::string(name_of(objects.front())));
  }
  TRY(const FoundJob job, session.run(find_job(session.api(), session.ns(), options.job)));
  const std::string name = job.key().name;
  if (!options.replace) return debug_copy(job.body(), name + "-debug");
  TRY(Json copy, debug_copy(job.body(), name));
  TRY_OK(
      confirm(fmt::format("delete job {} and create it again in debug mode?", name), options.yes));
  TRY_OK(session.run(remove_wholly(session, job)));
  return copy;
}

/// The pods of the job once all run; what they wait for is told once.
awaitable<Result<std::vector<ObjectPtr>>> wait_running(Session& session, FoundJob job) {
  bool told = false;
  for (int looks = 0;; ++looks) {
    CO_TRY(const ObjectPtr now, co_await session.api().get(job.resource, job.key()));
    CO_TRY(std::vector<ObjectPtr> pods, co_await list_pods_of(session.api(), now->body()));
    if (phase_of(now->body()) == "Running") co_return pods;
    if (job_has_ended(now->body())) {
      co_return Error(Code::kUnavailable,
                      fmt::format("job {} has {}: {}", job.key().name, phase_of(now->body()),
                                  explanation(now->body())));
    }
    const std::string reason = waiting_reason(pods);
    if (!told && looks > 10 && !reason.empty()) {
      fmt::print(stderr, "{}\n", reason);
      told = true;
    }
    co_await session.clock().sleep_for(100ms);
  }
}

}  // namespace

Result<int> debug(const Flags& flags, const DebugOptions& options) {
  if (options.job.empty() == options.file.empty()) {
    return Error(Code::kInvalid, "say which job, or -f FILE");
  }
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(Json copy, make_debug_job(*session, options));
  TRY(const FoundJob job, session->run(create_object(*session, std::move(copy))));
  const std::string name = job.key().name;
  fmt::print(stderr, "job {} created in debug mode: its pods run, but not the training\n", name);
  TRY(const std::vector<ObjectPtr> pods, session->run(wait_running(*session, job)));
  fmt::print("A shell in one of its replicas:\n");
  for (const ObjectPtr& pod : pods) {
    fmt::print("  kubectl exec -it -n {} {} -- bash\n", job.key().ns, name_of(pod->body()));
  }
  fmt::print("When you are done:\n  trainyard delete {}\n", name);
  return 0;
}

}  // namespace trainyard::cli
