#include "jobs/mpi/preflight.h"

#include "jobs/engine/form/status.h"
#include "jobs/mpi/meeting.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::jobs {
namespace {

constexpr const char* kCondition = "Preflight";
constexpr std::int64_t kUsualSeconds = 300;  // a worker's image may have to be fetched first

const Json* find_preflight(const Json& pod) {
  for (const Json& container : array_at(pod, "status.initContainerStatuses")) {
    if (string_at(container, "name") == kPreflightContainer) return &container;
  }
  return nullptr;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text);
}

void tell_end(Draft& draft, const Json& ended) {
  const std::string message = trimmed(string_at(ended, "message"));
  if (int_at(ended, "exitCode") != 0) {
    draft.set(
        kCondition, false, "WorkersOutOfReach",
        message.empty() ? "The launcher's container preflight failed: see its log." : message);
    return;
  }
  const bool by_rsh = message.find("trainyard rsh") != std::string::npos;
  if (by_rsh && !draft.was(kCondition, true)) {
    draft.tell("NoSshd", fmt::format("{}; mpirun does not use ssh.", message));
  }
  draft.set(kCondition, true, by_rsh ? "WorkersAnswerExec" : "WorkersAnswer",
            message.empty() ? "All workers answer." : message);
}

}  // namespace

std::int64_t preflight_seconds(const Json& job) {
  const std::string_view text = annotation_of(job, kPreflightAnnotation);
  std::int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return seconds > 0 ? seconds : kUsualSeconds;
}

void tell_preflight(Draft& draft, std::size_t launcher_group) {
  for (const Observed& one : draft.observed) {
    if (one.replica.group != launcher_group || one.pod == nullptr) continue;
    const Json* container = find_preflight(one.pod->body());
    if (container == nullptr) continue;
    if (const Json* ended = find(*container, "state.terminated")) {
      tell_end(draft, *ended);
    } else if (find(*container, "state.running") != nullptr) {
      draft.set(kCondition, false, "Probing", "The launcher waits until every worker answers.");
    }
  }
}

}  // namespace trainyard::jobs
