#pragma once

#include "workloads/owner_graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::workloads {

enum class OwnerState : std::uint8_t {
  kSolid,     // it is there and stays
  kWaiting,   // it goes when its dependents are gone
  kDangling,  // it is not there
};

/// What is known of an object whose fate is to be decided.
struct CollectionView {
  const Json& object;
  std::vector<OwnerState> owners;      // one for each of metadata.ownerReferences
  bool has_dependents = false;         //
  bool has_waiting_dependent = false;  // one of them is itself being deleted in the foreground
  bool is_blocked = false;             // one of them blocks its deletion
};

/// What to do about it; any of it may fail, and is then decided anew.
struct CollectionStep {
  std::string remove;               // the propagation policy, when the object shall be removed
  std::optional<JsonArray> owners;  // the ownerReferences that it shall have, before all else
  bool let_go = false;              // take away the finalizer that held it for its dependents
};

/// Decides, as Kubernetes does:
///   being deleted in the foreground   let go when nobody blocks it any more
///   being deleted otherwise           nothing
///   some owner is solid               forget those that are not
///   an owner waits for it             remove, in the foreground when it has dependents itself
///   no owner is left                  remove
CollectionStep decide_collection(const CollectionView& view);

}  // namespace trainyard::workloads
