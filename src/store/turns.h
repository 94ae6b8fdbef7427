#pragma once

#include "base/notifier.h"
#include "object/values/metadata.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace trainyard::store {

/// Which object, of which collection.
struct ObjectId {
  const void* collection = nullptr;
  Key key;
  auto operator<=>(const ObjectId&) const = default;
};

/// Lets writes to an object happen one after the other, first come first served. A write to several
/// objects waits in all of their queues at once, so that two of them can never wait for each other:
/// the one that came first is ahead everywhere.
class Turns {
 public:
  class Turn;

 private:
  struct Place {
    Turn* turn = nullptr;
    Place* ahead = nullptr;
    Place* behind = nullptr;
    const ObjectId* id = nullptr;
  };
  struct Queue {
    Place* first = nullptr;
    Place* last = nullptr;
  };
  struct Hash {
    std::size_t operator()(const ObjectId& id) const;
  };
  std::unordered_map<ObjectId, Queue, Hash> queues_;  // of objects with a write under way
};

/// One write's wait for its turn, which ends when this object does. It may outlive the store, in
/// work that the loop never came to: hence it shares the queues.
class Turns::Turn {
 public:
  /// `come` is notified when the turn has come. `ids` names each object once.
  Turn(std::shared_ptr<Turns> turns, std::vector<ObjectId> ids, Notifier& come);
  ~Turn() { end(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool has_come() const { return waits_ == 0; }
  /// Lets the next ones have theirs.
  void end();

 private:
  std::shared_ptr<Turns> turns_;
  std::vector<Place> places_;  // one in each queue; their addresses stay
  std::size_t waits_ = 0;      // in how many queues somebody is ahead
  Notifier& come_;
};

}  // namespace trainyard::store
