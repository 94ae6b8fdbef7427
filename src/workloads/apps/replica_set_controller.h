#pragma once

#include "base/task_group.h"
#include "client/reporting/events.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "workloads/apps/replica_set_plan.h"

namespace trainyard::workloads {

/// Keeps as many pods of one template running as a ReplicaSet asks for. Pods belong to it by their
/// labels: those that come to match are adopted, those that cease to are released.
class ReplicaSetController final : public client::Reconciler {
 public:
  ReplicaSetController(Executor loop, client::Api& api, Clock& clock);
  void start();
  awaitable<void> stop();

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  void heard_of_pod(const Json& pod);
  awaitable<Result<std::vector<ObjectPtr>>> claim_pods(ObjectPtr set);
  awaitable<Result<>> create_pods(ObjectPtr set, std::int64_t count);
  awaitable<Result<>> create_pod(ObjectPtr set);
  awaitable<Result<>> remove_pod(ObjectPtr set, ObjectPtr pod);
  awaitable<Result<>> write_status(ObjectPtr set, Json status);

  client::Api& api_;
  Clock& clock_;
  client::EventRecorder events_;
  client::Controller controller_;
  client::Informer sets_;
  client::Informer pods_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
