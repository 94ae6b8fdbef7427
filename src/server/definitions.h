#pragma once

#include "base/task_group.h"
#include "server/admission.h"
#include "server/kind_table.h"

namespace trainyard::server {

class Verbs;

inline const Resource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

/// Checks a CustomResourceDefinition that a user brings (`before`: the one it replaces) and writes
/// the status that says it is served, as it is from the moment it is stored.
Result<> admit_definition(const KindTable& kinds, const Json* before, Json& definition,
                          const AdmissionContext& context);

/// Says in a definition's conditions that its objects are going, and it after them.
void note_termination(Json& definition, WallTime now);

/// One of our own kinds as clients see it: there since ever, and served.
ObjectPtr built_in_definition(Json definition);

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
