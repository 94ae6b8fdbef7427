#pragma once

#include "base/task_group.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "workloads/followers.h"
#include "workloads/served_kinds.h"

namespace trainyard::workloads {

inline const Resource kResourceQuotas{"", "v1", "resourcequotas"};

/// Keeps status.used of ResourceQuotas what the objects of the namespace say. Follows only the
/// kinds that some quota speaks of. The server itself refuses what would exceed a quota.
class QuotaController final : public client::Reconciler {
 public:
  QuotaController(Executor loop, client::Api& api, Clock& clock, ServedKinds& kinds);
  void start();
  awaitable<void> stop();

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  void follow_kinds();
  void heard_of_object(const Json& object);
  /// The kinds whose objects a quota counts.
  std::set<Resource> counted(const Json& quota) const;
  awaitable<Result<Json>> count(ObjectPtr quota);

  client::Api& api_;
  const ServedKinds& kinds_;
  client::Controller controller_;
  client::Informer quotas_;
  Followers followers_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
