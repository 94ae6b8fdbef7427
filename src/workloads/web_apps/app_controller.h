#pragma once

#include "base/task_group.h"
#include "client/reporting/events.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "workloads/web_apps/app_plan.h"

namespace trainyard::workloads {

/// Runs web apps of one kind: a pod each, until they are suspended.
class AppController final : public client::Reconciler {
 public:
  AppController(Executor loop, client::Api& api, Clock& clock, const AppKind& kind);
  /// Before start(): where people find the apps, and when those that nobody uses end.
  void set_up(std::string origin, contract::IdleLimits limits);
  void start();
  awaitable<void> stop();

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  awaitable<Result<AppView>> look_at(ObjectPtr app, const AppForm& form);
  awaitable<Result<ObjectPtr>> find_pod(ObjectPtr app);
  awaitable<Result<std::vector<std::string>>> missing_claims(std::string ns,
                                                             std::vector<std::string> claims);
  awaitable<Result<std::optional<contract::ImageMap>>> find_image(ObjectPtr pod);
  awaitable<Result<>> carry_out(AppView view, AppForm form, AppPlan plan);
  awaitable<Result<ObjectPtr>> write_status(ObjectPtr app, Json status);
  awaitable<Result<>> suspend(ObjectPtr app);
  awaitable<Result<>> create_all(ObjectPtr app, AppForm form);

  client::Api& api_;
  Clock& clock_;
  const AppKind& kind_;
  std::string origin_;
  contract::IdleLimits limits_;
  WallTime since_;
  client::EventRecorder events_;
  client::Controller controller_;
  client::Informer apps_;
  client::Informer pods_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
