#include "jobs/engine/cause.h"

#include <fmt/format.h>

namespace trainyard::jobs {

std::string how_it_ended(const Observed& observed) {
  std::string text =
      fmt::format("Pod[{}] exited with error code {}", observed.name, observed.exit_code);
  if (observed.pod == nullptr) return text;
  const Json& pod = observed.pod->body();
  std::string message(string_at(pod, "status.message"));
  for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& container : array_at(pod, list)) {
      if (message.empty()) message = string_at(container, "state.terminated.message");
    }
  }
  if (observed.exit_code == 0) {
    text = fmt::format("Pod[{}] failed: {}", observed.name, string_at(pod, "status.reason"));
  }
  if (!message.empty()) text += fmt::format(" ({})", message);
  return text;
}

}  // namespace trainyard::jobs
