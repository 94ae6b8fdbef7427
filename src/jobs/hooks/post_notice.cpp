#include "http/client.h"
#include "jobs/hooks/hook_delivery.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

bool may_work_later(int status) {
  return status == 408 || status == 429 || status >= 500;
}

/// Only the beginning of the answer is of interest: its body may never end.
awaitable<Result<int>> post_once(http::Client& client, const std::string& path,
                                 const std::string& body) {
  http::ClientRequest request;
  request.method = "POST";
  request.target = path;
  request.headers = {{"Content-Type", "application/json"}, {"User-Agent", "trainyard"}};
  request.body = body;
  CO_TRY(const auto answer, co_await client.open(std::move(request)));
  co_return answer->status();
}

}  // namespace

awaitable<Result<>> post_notice(Executor loop, Clock& clock, HookLimits limits,
                                WebhookTarget target, Json notice) {
  http::ClientOptions options;
  options.url = target.origin;
  options.connect_timeout_seconds = limits.answer_seconds;
  options.answer_timeout_seconds = limits.answer_seconds;
  http::Client client(loop, options);
  const std::string body = to_text(notice);
  std::string problem;
  auto pause = limits.first_pause;
  for (int tried = 1;; ++tried) {
    const auto status = co_await post_once(client, target.path, body);
    if (status && *status >= 200 && *status < 300) co_return Ok();
    problem = status ? fmt::format("it answered {}", *status) : status.error().message();
    if ((status && !may_work_later(*status)) || tried >= limits.tries) break;
    co_await clock.sleep_for(pause);
    pause *= 2;
  }
  co_return Error(Code::kUnavailable, fmt::format("{}: {}", target.origin, problem));
}

}  // namespace trainyard::jobs
