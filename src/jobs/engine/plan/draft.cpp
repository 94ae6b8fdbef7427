#include "jobs/engine/plan/draft.h"

#include "jobs/engine/form/status.h"
#include "object/values/status.h"

namespace trainyard::jobs {
Draft::Draft(const JobKind& job_kind, const JobView& job_view)
    : kind(job_kind),
      view(job_view),
      job(job_view.job->body()),
      form(job_kind.read(job)),
      before(job_kind.recall(job)),
      status(before),
      restarts(form.groups.size(), 0),
      promised(form.groups.size(), 0) {}

bool Draft::was(const std::string& condition, bool value) const {
  return condition_is(before, condition, value);
}

void Draft::set(const std::string& condition, bool value, const std::string& reason,
                const std::string& message) {
  set_condition(status, condition, value, reason, message, view.now);
}

void Draft::tell(std::string reason, std::string message, bool warning) {
  plan.events.push_back(PlannedEvent{warning, std::move(reason), std::move(message)});
}

void Draft::remove(const Observed& one) {
  if (one.pod == nullptr || is_being_deleted(one.pod->body())) return;
  const Json& pod = one.pod->body();
  Removal removal{one.name, std::string(uid_of(pod)), ""};
  if (!is_over(one.phase)) removal.version = string_at(pod, "metadata.resourceVersion");
  plan.remove_pods.push_back(std::move(removal));
}

void Draft::remove_service(const Observed& one) {
  const auto service = view.services.find(one.name);
  if (!form.naming.plain || service == view.services.end()) return;
  plan.remove_services.push_back(Removal{one.name, service->second, ""});
}

}  // namespace trainyard::jobs
