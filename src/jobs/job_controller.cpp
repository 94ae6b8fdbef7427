#include "jobs/job_controller.h"

namespace trainyard::jobs {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds kGather = 10ms;  // pods that change together are one look

}  // namespace

JobController::JobController(Executor loop, client::Api& api, Clock& clock, const JobKind& kind,
                             PortLeases& ports, OwnedObjects& owned)
    : reconciler_(loop, api, clock, kind, ports, owned),
      controller_(kind.resource().plural, loop, clock, reconciler_),
      jobs_(loop, api, clock, kind.resource()),
      owned_(owned),
      tasks_(loop) {
  jobs_.add_listener([this](const ObjectPtr& job, bool) { controller_.add(key_of(job->body())); });
  owned_.on_change([this, &kind](const ObjectPtr& child) {
    const Json* owner = controller_of(child->body());
    if (string_at(*owner, "kind") != kind.name() ||
        string_at(*owner, "apiVersion") != kind.resource().api_version()) {
      return;
    }
    const Key job{std::string(namespace_of(child->body())), std::string(string_at(*owner, "name"))};
    controller_.add_after(job, kGather);
  });
}

void JobController::start() {
  tasks_.spawn("watch jobs", jobs_.run());
  tasks_.spawn("begin to reconcile jobs", begin());
}

/// Who plans by half of what there is creates the other half again.
awaitable<void> JobController::begin() {
  co_await owned_.wait_synced();
  controller_.start(/*workers=*/32);  // they mostly wait for the disk, together
}

awaitable<void> JobController::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
  co_await reconciler_.stop();
}

}  // namespace trainyard::jobs
