#include "cli/command/commands.h"
#include "cli/command/jobs_view.h"
#include "cli/command/print.h"
#include "cli/jobs/stack_views.h"
#include "client/watching/parallel.h"

#include <fmt/format.h>

namespace trainyard::cli {
namespace {

constexpr std::size_t kAtOnce = 8;

awaitable<Result<>> take_stacks(Session& session, const Json& pod, PodStackList& list) {
  list.pod = name_of(pod);
  if (string_at(pod, "status.phase") != "Running") {
    list.error =
        fmt::format("is {}: nothing runs in it", string_at(pod, "status.phase", "Pending"));
    co_return Ok();
  }
  const auto answer =
      co_await session.api().get_path(client::resource_path(kPods, key_of(pod), "stacks"));
  if (!answer) {
    list.error = answer.error().message();
    co_return Ok();
  }
  list.processes = client::read_stacks(*answer);
  if (list.processes.empty()) list.error = "nothing runs in it";
  co_return Ok();
}

Json as_json(const std::vector<PodStackList>& lists) {
  JsonArray pods;
  for (const PodStackList& list : lists) {
    JsonObject one{{"pod", list.pod},
                   {"processes", *find(client::stacks_json(list.processes), "processes")}};
    if (!list.error.empty()) one["error"] = list.error;
    pods.push_back(std::move(one));
  }
  return {{"pods", std::move(pods)}};
}

}  // namespace

Result<int> stacks(const Flags& flags, const std::string& job, bool all_threads) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const FoundJob found, session->run(find_job(session->api(), session->ns(), job)));
  TRY(const std::vector<ObjectPtr> pods, session->run(list_pods_of(session->api(), found.body())));
  if (pods.empty()) {
    return Error(Code::kNotFound,
                 fmt::format("job {} has no pods: `trainyard describe {}` says why", job, job));
  }
  std::vector<PodStackList> lists(pods.size());
  // All at once, as near as can be: they shall be compared.
  TRY_OK(session->run(client::run_parallel(pods.size(), kAtOnce, [&](std::size_t i) {
    return take_stacks(*session, pods[i]->body(), lists[i]);
  })));
  if (print_value(flags, as_json(lists))) return 0;
  fmt::print("{}", show_stacks(lists, all_threads));
  return 0;
}

}  // namespace trainyard::cli
