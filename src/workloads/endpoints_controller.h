#pragma once

#include "base/task_group.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"

#include <map>
#include <set>

namespace trainyard::workloads {

/// Writes the Endpoints and EndpointSlices of every Service with a selector. One without is its
/// user's own business.
class EndpointsController final : public client::Reconciler {
 public:
  EndpointsController(Executor loop, client::Api& api, Clock& clock);
  void start();
  awaitable<void> stop();

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  awaitable<void> begin();
  void heard_of_pod(const Json& pod, bool deleted);
  awaitable<Result<>> write_endpoints(ObjectPtr service, JsonArray subsets);
  awaitable<Result<>> write_slices(ObjectPtr service, std::map<std::string, Json> slices);
  awaitable<Result<>> write_slice(Json slice, ObjectPtr before);
  awaitable<Result<>> remove(Key key);

  client::Api& api_;
  client::Controller controller_;
  client::Informer services_;
  client::Informer pods_;
  client::Informer slices_;
  std::map<Key, std::set<Key>> behind_;  // pod → the services that selected it when last heard of
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
