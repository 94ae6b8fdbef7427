#pragma once

#include "base/clock.h"
#include "client/api.h"
#include "client/reporting/background_events.h"
#include "client/watching/controller.h"
#include "jobs/engine/form/form.h"
#include "jobs/engine/plan/plan.h"
#include "jobs/engine/world/owned_objects.h"
#include "jobs/engine/world/port_leases.h"

#include <string>
#include <vector>

namespace trainyard::jobs {

/// Carries out the plans of one job kind: reads the state, plans, acts.
class JobReconciler final : public client::Reconciler {
 public:
  /// `owned` must follow pods, Services and TensorBoards.
  JobReconciler(Executor loop, client::Api& api, Clock& clock, const JobKind& kind,
                PortLeases& ports, OwnedObjects& owned);
  awaitable<void> stop() { return events_.stop(); }

  awaitable<Result<client::Requeue>> reconcile(Key key) override;
  awaitable<void> tell_internal_error(Key key, std::string text) override;

 private:
  JobPlan make_plan(const JobView& view) const;
  /// Names a job and its spec, for the record of crashes.
  std::string work_on(const Json& job) const;
  awaitable<Result<JobView>> load(ObjectPtr job);
  awaitable<Result<>> create_support(std::string ns, SupportObject support);
  awaitable<Result<>> create_children(std::string ns, JobPlan& plan);
  awaitable<Result<>> remove_all(Resource resource, std::string ns, std::vector<Removal> removals);
  awaitable<Result<>> remove_job(ObjectPtr job);
  /// What is gone already is as good.
  awaitable<Result<>> remove(Resource resource, std::string ns, Removal removal);
  awaitable<Result<>> resize_pod_group(Key group, std::int64_t members);
  /// Says in the job why something of it was refused; it is tried again, ever more seldom.
  awaitable<Result<client::Requeue>> give_way(ObjectPtr job, Error why);
  awaitable<Result<>> apply(ObjectPtr job, JobPlan plan);

  client::Api& api_;
  Clock& clock_;
  const JobKind& kind_;
  PortLeases& ports_;
  OwnedObjects& owned_;
  client::EventRecorder recorder_;
  client::BackgroundEvents events_;
};

}  // namespace trainyard::jobs
