#pragma once

#include "base/task_group.h"
#include "server/verbs/verbs.h"

namespace trainyard::server {

/// Removes the objects of a kind whose definition is being deleted, then lets the definition go.
class DefinitionCleaner {
 public:
  DefinitionCleaner(Executor loop, Verbs& verbs) : verbs_(verbs), tasks_(std::move(loop)) {}
  void start();
  awaitable<void> stop();

 private:
  awaitable<void> run();
  awaitable<Result<>> clean(Json definition);

  Verbs& verbs_;
  TaskGroup tasks_;
};

}  // namespace trainyard::server
