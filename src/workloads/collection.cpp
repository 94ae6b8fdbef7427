#include "workloads/collection.h"

#include <algorithm>

namespace trainyard::workloads {
namespace {

bool any(const std::vector<OwnerState>& owners, OwnerState state) {
  return std::find(owners.begin(), owners.end(), state) != owners.end();
}

/// The references to owners that stay.
JsonArray solid_references(const CollectionView& view) {
  JsonArray kept;
  const JsonArray& references = array_at(view.object, "metadata.ownerReferences");
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (view.owners[i] == OwnerState::kSolid) kept.push_back(references[i]);
  }
  return kept;
}

/// The same references, none of which keeps its owner waiting.
JsonArray unblocked_references(const Json& object) {
  JsonArray references = array_at(object, "metadata.ownerReferences");
  for (Json& reference : references) {
    if (bool_at(reference, "blockOwnerDeletion")) {
      reference.get_object()["blockOwnerDeletion"] = false;
    }
  }
  return references;
}

/// What the object's own finalizers ask for goes before our choice.
std::string policy_of(const Json& object) {
  if (has_finalizer(object, kOrphanFinalizer)) return "Orphan";
  return has_finalizer(object, kForegroundFinalizer) ? "Foreground" : "Background";
}

}  // namespace

CollectionStep decide_collection(const CollectionView& view) {
  CollectionStep step;
  if (is_being_deleted(view.object)) {
    step.let_go = is_deleting_foreground(view.object) && !view.is_blocked;
    return step;
  }
  if (view.owners.empty()) return step;
  if (any(view.owners, OwnerState::kSolid)) {
    JsonArray kept = solid_references(view);
    if (kept.size() != view.owners.size()) step.owners = std::move(kept);
    return step;
  }
  if (any(view.owners, OwnerState::kWaiting) && view.has_dependents) {
    step.remove = "Foreground";
    // Two that wait for each other would wait for ever: this one stops blocking its owners.
    if (view.has_waiting_dependent) {
      JsonArray unblocked = unblocked_references(view.object);
      if (unblocked != array_at(view.object, "metadata.ownerReferences")) {
        step.owners = std::move(unblocked);
      }
    }
    return step;
  }
  step.remove = policy_of(view.object);
  return step;
}

}  // namespace trainyard::workloads
