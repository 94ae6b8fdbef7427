#pragma once

#include "client/watching/informer.h"
#include "jobs/engine/world/reconciler.h"

namespace trainyard::jobs {

/// Runs a job kind: reconciles a job whenever it or something that it owns changes.
class JobController {
 public:
  JobController(Executor loop, client::Api& api, Clock& clock, const JobKind& kind,
                PortLeases& ports, OwnedObjects& owned);
  /// Before start(). Hears of every state of a job that is seen, and of deleted ones.
  void add_listener(client::Informer::Listener listener) {
    jobs_.add_listener(std::move(listener));
  }
  void start();
  awaitable<void> stop();

 private:
  awaitable<void> begin();

  JobReconciler reconciler_;
  client::Controller controller_;
  client::Informer jobs_;
  OwnedObjects& owned_;
  TaskGroup tasks_;
};

}  // namespace trainyard::jobs
