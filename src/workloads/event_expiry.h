#pragma once

#include "base/clock.h"
#include "base/task_group.h"
#include "client/api.h"

namespace trainyard::workloads {

/// When an event has told its news: an hour after it last happened, a day after it was first
/// written at the latest.
WallTime event_expiry(const Json& event);

/// Removes events whose time has come, looking through all of them every few minutes: there are
/// too many to have a place in a queue each.
class EventExpiry {
 public:
  EventExpiry(Executor loop, client::Api& api, Clock& clock)
      : api_(api), clock_(clock), tasks_(loop) {}
  void start() { tasks_.spawn("event expiry", run()); }
  awaitable<void> stop() { return tasks_.stop(); }

 private:
  awaitable<void> run();
  awaitable<Result<>> remove_expired();
  awaitable<Result<>> look_at(ObjectPtr event);

  client::Api& api_;
  Clock& clock_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
