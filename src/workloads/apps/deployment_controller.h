#pragma once

#include "base/task_group.h"
#include "client/reporting/events.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "workloads/apps/deployment_plan.h"

namespace trainyard::workloads {

/// Carries out the plans of Deployments: one ReplicaSet a revision of the template, pods moved from
/// the old ones to the new one within the limits of the strategy.
class DeploymentController final : public client::Reconciler {
 public:
  DeploymentController(Executor loop, client::Api& api, Clock& clock);
  void start();
  awaitable<void> stop();

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  void heard_of_set(const Json& set);
  void heard_of_pod(const Json& pod);
  awaitable<Result<DeploymentView>> load(ObjectPtr deployment);
  awaitable<Result<std::vector<ObjectPtr>>> claim_sets(ObjectPtr deployment);
  awaitable<Result<>> apply(ObjectPtr deployment, DeploymentPlan plan);
  awaitable<Result<>> create_set(ObjectPtr deployment, Json set);
  awaitable<Result<>> resolve_name_clash(ObjectPtr deployment, Json set);
  awaitable<Result<>> report_failed_set(ObjectPtr deployment, std::string message);
  awaitable<Result<>> change_set(ObjectPtr deployment, SetChange change);
  awaitable<Result<>> remove_set(ObjectPtr set);
  awaitable<Result<ObjectPtr>> write_revision(ObjectPtr deployment, std::int64_t revision);
  awaitable<Result<>> write_status(ObjectPtr deployment, Json status);

  client::Api& api_;
  Clock& clock_;
  client::EventRecorder events_;
  client::Controller controller_;
  client::Informer deployments_;
  client::Informer sets_;
  client::Informer pods_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
