#pragma once

#include "base/task_group.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "workloads/served_kinds.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::workloads {

/// What a look at a namespace that goes away has found.
struct NamespaceContents {
  std::map<std::string, std::size_t> objects;     // resource → how many are still there
  std::map<std::string, std::size_t> finalizers;  // finalizer → how many objects it holds
  std::vector<std::string> failures;              // what went wrong with removing them
};

/// status.conditions that say what a deletion waits for.
JsonArray namespace_conditions(const JsonArray& before, const NamespaceContents& contents,
                               WallTime now);

/// Ends namespaces: removes all objects of all kinds in one that is being deleted, waits until they
/// are gone, says meanwhile what it waits for, and then lets the namespace go. Objects of a
/// namespace that is gone already are removed too.
class NamespaceController final : public client::Reconciler {
 public:
  NamespaceController(Executor loop, client::Api& api, Clock& clock, const ServedKinds& kinds);
  void start();
  awaitable<void> stop();

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  awaitable<NamespaceContents> clear(std::string ns);
  awaitable<Result<>> remove(Resource resource, ObjectPtr object);
  awaitable<void> count(std::string ns, NamespaceContents& contents);
  awaitable<Result<>> report(ObjectPtr ns, const NamespaceContents& contents);
  awaitable<Result<>> finalize(ObjectPtr ns);

  client::Api& api_;
  Clock& clock_;
  const ServedKinds& kinds_;
  client::Controller controller_;
  client::Informer namespaces_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
