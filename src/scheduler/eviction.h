#pragma once

#include "client/reporting/events.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "scheduler/plan/cluster.h"

#include <map>
#include <string>

namespace trainyard::scheduler {

/// Ends pods that may no longer be where they are: on nodes with a NoExecute taint that they do not
/// tolerate, or no longer; and on nodes that are gone.
class Evictor final : public client::Reconciler {
 public:
  Evictor(Executor loop, client::Api& api, Clock& clock, const Cluster& cluster,
          const client::Informer& pods);
  void start() { controller_.start(1); }
  awaitable<void> stop() { return controller_.stop(); }

  /// The cluster's view of it has changed.
  void look_at_pod(const PodView& pod);
  void look_at_node(const std::string& name);

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  struct State {
    std::string taints;  // those that end pods, in words; "gone" when the node is
    TimePoint since;
  };
  const State& state_of(const std::string& node);

  client::Api& api_;
  Clock& clock_;
  const Cluster& cluster_;
  const client::Informer& pods_;
  client::EventRecorder events_;
  std::map<std::string, State> nodes_;
  client::Controller controller_;
};

}  // namespace trainyard::scheduler
