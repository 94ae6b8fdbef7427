#pragma once

#include "client/controller.h"
#include "client/events.h"
#include "client/informer.h"
#include "scheduler/plan/placement.h"

#include <map>
#include <string>

namespace trainyard::scheduler {

/// Looks at the cluster whenever pods, groups or nodes change, plans, and binds each gang in one
/// transaction. What has to wait gets the reason into its pods' conditions and one event.
class Scheduler final : public client::Reconciler {
 public:
  Scheduler(Executor loop, client::Api& api, Clock& clock);
  void start();
  awaitable<void> stop();

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  awaitable<Result<ClusterView>> load();
  awaitable<void> explain(Waiting waiting);

  client::Api& api_;
  Clock& clock_;
  client::EventRecorder events_;
  client::Controller controller_;
  client::Informer pods_;
  client::Informer groups_;
  client::Informer nodes_;
  TaskGroup tasks_;
};

}  // namespace trainyard::scheduler
