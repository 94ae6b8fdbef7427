#pragma once

#include "base/clock.h"
#include "jobs/hooks/webhook_target.h"
#include "object/json/json.h"

#include <chrono>
#include <filesystem>
#include <string>

namespace trainyard::jobs {

struct HookLimits {
  int tries = 5;
  std::chrono::seconds first_pause{1};  // doubled after each
  int answer_seconds = 10;              // until a webhook has answered
  std::chrono::seconds command{60};     // a command that takes longer is killed
};

/// Posts the notice. Tried again where that may help: no answer, 408, 429, 5xx. Redirects are not
/// followed. Errors name the origin, never the path.
awaitable<Result<>> post_notice(Executor loop, Clock& clock, HookLimits limits,
                                WebhookTarget target, Json notice);

/// Runs a command by /bin/sh with the notice as its standard input, and what scripts need as
/// variables: TRAINYARD_JOB, _NAMESPACE, _KIND, _PHASE, _REASON. What it writes is appended to the
/// file `log`. Not tried again: it may have done half of its work.
awaitable<Result<>> run_hook_command(Clock& clock, HookLimits limits, std::string command,
                                     std::filesystem::path log, Json notice);

}  // namespace trainyard::jobs
