#pragma once

#include "client/informer.h"
#include "jobs/engine/reconciler.h"

namespace trainyard::jobs {

/// Runs a job kind: reconciles a job whenever it, one of its pods or its TensorBoard changes.
class JobController {
 public:
  JobController(Executor loop, client::Api& api, Clock& clock, const JobKind& kind,
                PortLeases& ports);
  void start();
  awaitable<void> stop();

 private:
  JobReconciler reconciler_;
  client::Controller controller_;
  client::Informer jobs_;
  client::Informer pods_;
  client::Informer tensorboards_;
  TaskGroup tasks_;
};

}  // namespace trainyard::jobs
