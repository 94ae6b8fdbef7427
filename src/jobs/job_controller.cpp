#include "jobs/job_controller.h"

namespace trainyard::jobs {

namespace {
constexpr int kWorkers = 8;
}

JobController::JobController(Executor loop, client::Api& api, Clock& clock, const JobKind& kind,
                             PortLeases& ports)
    : reconciler_(api, clock, kind, ports),
      controller_(kind.resource().plural, loop, clock, reconciler_),
      jobs_(loop, api, clock, kind.resource()),
      pods_(loop, api, clock, kPods),
      tensorboards_(loop, api, clock, kTensorBoards),
      tasks_(loop) {
  jobs_.add_listener([this](const ObjectPtr& job, bool) { controller_.add(key_of(job->body())); });
  const auto look_at_owner = [this, &kind](const ObjectPtr& child, bool) {
    const Json* owner = controller_of(child->body());
    if (owner == nullptr || string_at(*owner, "kind") != kind.name() ||
        string_at(*owner, "apiVersion") != kind.resource().api_version()) {
      return;
    }
    controller_.add(
        Key{std::string(namespace_of(child->body())), std::string(string_at(*owner, "name"))});
  };
  pods_.add_listener(look_at_owner);
  tensorboards_.add_listener(look_at_owner);
}

void JobController::start() {
  tasks_.spawn("watch jobs", jobs_.run());
  tasks_.spawn("watch pods of jobs", pods_.run());
  tasks_.spawn("watch TensorBoards of jobs", tensorboards_.run());
  controller_.start(kWorkers);
}

awaitable<void> JobController::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

}  // namespace trainyard::jobs
