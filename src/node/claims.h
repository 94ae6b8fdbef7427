#pragma once

#include "base/task_group.h"
#include "client/controller.h"
#include "client/events.h"
#include "client/informer.h"
#include "node/mounts.h"

namespace trainyard::node {

/// On a PersistentVolumeClaim: a folder of the user's instead of one in the data folder.
inline constexpr const char* kPathAnnotation = "trainyard.dev/path";
inline constexpr const char* kReadOnlyAnnotation = "trainyard.dev/read-only";

/// Binds PersistentVolumeClaims to folders on this machine, at once.
class Claims final : public client::Reconciler {
 public:
  Claims(Executor loop, client::Api& api, Clock& clock, Paths paths);
  void start();
  awaitable<void> stop();
  awaitable<Result<client::Requeue>> reconcile(Key key) override;

  /// Told whenever a claim may have become usable.
  void on_change(std::function<void()> listener) { listener_ = std::move(listener); }
  Result<ClaimFolder> find(const std::string& ns, const std::string& name) const;

 private:
  client::Api& api_;
  Paths paths_;
  client::EventRecorder events_;
  client::Controller controller_;
  client::Informer claims_;
  std::function<void()> listener_;
  TaskGroup tasks_;
};

}  // namespace trainyard::node
