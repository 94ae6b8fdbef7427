#pragma once

#include "base/task_group.h"
#include "client/reporting/events.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "node/namespace_groups.h"
#include "node/volumes/mounts.h"
#include "node/volumes/reclaim.h"

namespace trainyard::node {

/// Binds PersistentVolumeClaims to folders on this machine, at once: to one of our own, one of the
/// user's, or the one that an existing volume is. Each gets a PersistentVolume for people to see.
/// When a claim has gone, and no pod uses its files any more, its volume is reclaimed.
class Claims final : public client::Reconciler {
 public:
  Claims(Executor loop, client::Api& api, Clock& clock, Paths paths);
  void start();
  awaitable<void> stop();
  /// The key of a claim, or, without a namespace, of a volume.
  awaitable<Result<client::Requeue>> reconcile(Key key) override;

  /// Told whenever a claim may have become usable.
  void on_change(std::function<void()> listener) { listener_ = std::move(listener); }
  Result<ClaimFolder> find(const std::string& ns, const std::string& name) const;
  /// The group that lets the pods of a namespace write to its volumes, whomever they run as.
  std::optional<std::int64_t> group_of(const std::string& ns) const { return groups_.of(ns); }

 private:
  /// Where a claim's files are to be.
  struct Home {
    std::string path;
    ObjectPtr volume;  // that was there before; null: one is made for the claim
  };
  void heard_of_volume(const ObjectPtr& volume);
  awaitable<Result<client::Requeue>> reconcile_claim(ObjectPtr claim);
  awaitable<Result<>> show_available(Key volume);
  awaitable<Result<Home>> home_of(ObjectPtr claim);
  awaitable<Result<>> make_own_folder(ObjectPtr claim);
  awaitable<Result<Home>> home_by_class(ObjectPtr claim);
  Result<Home> home_in(const ObjectPtr& volume, const Json& claim) const;
  std::string own_path(const Json& claim) const;
  awaitable<Result<ObjectPtr>> provide_volume(ObjectPtr claim, Home home);
  awaitable<Result<ObjectPtr>> make_own_volume(ObjectPtr claim, std::string path);
  awaitable<Result<>> bind(ObjectPtr claim, ObjectPtr volume);
  awaitable<Result<>> grow(ObjectPtr claim, ObjectPtr volume);
  awaitable<Result<client::Requeue>> release(Key claim);
  awaitable<Result<>> release_earlier(ObjectPtr claim);
  /// Those that a claim of that name has been bound to.
  std::vector<ObjectPtr> volumes_of(const Key& claim) const;

  client::Api& api_;
  Paths paths_;
  mutable NamespaceGroups groups_;
  Reclaimer reclaimer_;
  client::EventRecorder events_;
  client::Controller controller_;
  client::Informer claims_;
  client::Informer volumes_;
  std::function<void()> listener_;
  TaskGroup tasks_;
};

}  // namespace trainyard::node
