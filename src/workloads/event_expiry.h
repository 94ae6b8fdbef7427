#pragma once

#include "base/task_group.h"
#include "client/controller.h"
#include "client/informer.h"

namespace trainyard::workloads {

/// When an event has told its news: an hour after it last happened, a day after it was first
/// written at the latest.
WallTime event_expiry(const Json& event);

/// Removes events when their time has come. All of them wait in one ordered queue with one timer;
/// an event that happens again is looked at at its old time, and put off.
class EventExpiry final : public client::Reconciler {
 public:
  EventExpiry(Executor loop, client::Api& api, Clock& clock);
  void start();
  awaitable<void> stop();

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  client::Api& api_;
  Clock& clock_;
  client::Controller controller_;
  client::Informer events_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
