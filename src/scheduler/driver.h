#pragma once

#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "scheduler/eviction.h"
#include "scheduler/plan/placement.h"
#include "scheduler/read_objects.h"
#include "scheduler/teller.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::scheduler {

/// Follows pods, groups and nodes, plans whenever one of them changes what can be placed, and binds
/// each gang in one transaction. Nothing is listed again: changes are applied to what it knows.
///
/// Its own bindings count from the moment they are decided (`assumed_`), not from when the watch
/// brings them back; one that is refused is taken back.
class Scheduler final : public client::Reconciler {
 public:
  Scheduler(Executor loop, client::Api& api, Clock& clock, Rules rules = {});
  void start();
  awaitable<void> stop();
  /// Pods that have no node yet.
  std::size_t pending_pods() const;

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  struct Assumed {
    std::string uid;
    std::string node;
    std::vector<int> gpus;
  };

  awaitable<void> begin();
  void on_pod(const ObjectPtr& pod, bool deleted);
  void on_node(const ObjectPtr& node, bool deleted);
  void on_group(const ObjectPtr& group, bool deleted);
  void on_class(const ObjectPtr& priority_class, bool deleted);
  bool read_group(const Json& group);
  PodView read_pod(const ObjectPtr& pod);
  void assume(const Placed& placed);
  void take_back(const Placed& placed);
  awaitable<Result<>> bind_all(std::vector<Placed> placed);
  awaitable<Result<>> bind(const Placed& placed, bool& is_bound);
  awaitable<Result<>> number_gpus(Placement placement);

  client::Api& api_;
  Rules rules_;
  Cluster cluster_;
  ObjectReader reader_;
  std::map<std::string, std::int64_t> classes_;  // priorities by the class's name
  std::map<Key, Assumed> assumed_;
  client::Informer pods_;
  client::Informer groups_;
  client::Informer nodes_;
  client::Informer priority_classes_;
  Teller teller_;
  Evictor evictor_;
  client::Controller controller_;
  TaskGroup tasks_;
};

}  // namespace trainyard::scheduler
