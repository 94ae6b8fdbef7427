#pragma once

#include "base/clock.h"
#include "client/api.h"
#include "client/controller.h"
#include "client/events.h"
#include "jobs/engine/form.h"
#include "jobs/engine/plan.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace trainyard::jobs {

/// The ports that jobs may meet at. On the embedded node each running job gets its own; on a
/// cluster, where every pod has its own network, first and last are the same.
struct PortRange {
  std::int64_t first = 29500;
  std::int64_t last = 29999;
  std::function<bool(std::int64_t)> usable = [](std::int64_t) { return true; };
};

/// Carries out the plans of one job kind: reads the state, plans, acts.
class JobReconciler final : public client::Reconciler {
 public:
  JobReconciler(client::Api& api, Clock& clock, const JobKind& kind, PortRange ports);

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  awaitable<Result<JobView>> load(ObjectPtr job);
  awaitable<Result<>> apply(ObjectPtr job, JobPlan plan);
  awaitable<Result<>> create_missing(Resource resource, std::string ns, Json object);
  awaitable<Result<>> lease_port(ObjectPtr job);
  std::optional<std::int64_t> free_port(const std::string& uid,
                                        const std::set<std::int64_t>& taken) const;

  client::Api& api_;
  Clock& clock_;
  const JobKind& kind_;
  PortRange ports_;
  std::map<std::string, std::int64_t> leases_;  // job uid → port being written
  client::EventRecorder events_;
};

}  // namespace trainyard::jobs
