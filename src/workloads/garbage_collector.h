#pragma once

#include "client/reporting/events.h"
#include "client/watching/controller.h"
#include "workloads/collection.h"
#include "workloads/followers.h"
#include "workloads/owner_graph.h"
#include "workloads/served_kinds.h"

namespace trainyard::workloads {

/// Removes what belongs to objects that are gone, lets those go that wait for their dependents, and
/// sets the dependents free of those that shall leave them behind. Follows the objects of all kinds
/// and looks only at those whose fate a change may have touched, so that its work grows with what
/// is deleted. A crash forgets nothing: at the start everything is looked at once.
class GarbageCollector final : public client::Reconciler {
 public:
  GarbageCollector(Executor loop, client::Api& api, Clock& clock, ServedKinds& kinds);
  /// Before `kinds` is started, which makes the watches begin.
  void start();
  awaitable<void> stop();

  /// The key's name is the uid of the object to look at.
  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  void follow_kinds();
  void look_at(const OwnerGraph::Uids& uids);
  void look_at_strays();
  awaitable<Result<client::Requeue>> judge(Resource resource, ObjectPtr object);
  awaitable<Result<OwnerState>> state_of(OwnerReference reference, ObjectPtr dependent);
  awaitable<Result<>> apply(Resource resource, ObjectPtr object, CollectionStep step);
  awaitable<Result<>> set_owners(Resource resource, ObjectPtr object, JsonArray owners);
  awaitable<Result<>> drop_finalizer(Resource resource, ObjectPtr object, std::string finalizer);
  awaitable<Result<>> orphan_dependents(Resource resource, ObjectPtr object);
  awaitable<Result<>> orphan(Resource resource, ObjectPtr dependent, std::string owner_uid);

  client::Api& api_;
  ServedKinds& kinds_;
  client::EventRecorder events_;
  OwnerGraph graph_;
  client::Controller controller_;
  Followers followers_;
};

}  // namespace trainyard::workloads
