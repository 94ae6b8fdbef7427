#pragma once

#include "client/controller.h"
#include "client/informer.h"

#include <memory>
#include <vector>

namespace trainyard::workloads {

/// Removes what belongs to objects that are gone: pods and services of a deleted job, everything in
/// a deleted namespace. Looks at an object when it appears and when an owner of its kind goes, so a
/// crash in between forgets nothing.
class GarbageCollector final : public client::Reconciler {
 public:
  /// `resources`: the kinds whose objects own or are owned.
  GarbageCollector(Executor loop, client::Api& api, Clock& clock,
                   const std::vector<Resource>& resources);
  void start();
  awaitable<void> stop();

  /// The key says nothing: each look is at all objects, which are in memory.
  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  struct Followed {
    Resource resource;
    std::unique_ptr<client::Informer> informer;
  };
  awaitable<Result<>> collect(const Followed& followed, Key key, ObjectPtr object);
  /// True for what has no owner.
  bool has_live_owner(const Json& object) const;
  bool owner_exists(const Json& owner, std::string_view ns) const;

  client::Api& api_;
  client::Controller controller_;
  std::vector<Followed> followed_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
