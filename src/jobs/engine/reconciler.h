#pragma once

#include "base/clock.h"
#include "client/api.h"
#include "client/controller.h"
#include "client/events.h"
#include "jobs/engine/form.h"
#include "jobs/engine/plan.h"
#include "jobs/engine/port_leases.h"

#include <string>

namespace trainyard::jobs {

/// Carries out the plans of one job kind: reads the state, plans, acts.
class JobReconciler final : public client::Reconciler {
 public:
  JobReconciler(client::Api& api, Clock& clock, const JobKind& kind, PortLeases& ports);

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  awaitable<Result<JobView>> load(ObjectPtr job);
  awaitable<Result<>> apply(ObjectPtr job, JobPlan plan);
  awaitable<Result<>> create_missing(Resource resource, std::string ns, Json object);

  client::Api& api_;
  Clock& clock_;
  const JobKind& kind_;
  PortLeases& ports_;
  client::EventRecorder events_;
};

}  // namespace trainyard::jobs
