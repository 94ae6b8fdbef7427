#pragma once

#include "object/values/metadata.h"

#include <cstdint>
#include <vector>

namespace trainyard::store {

struct Change {
  enum class Type : std::uint8_t { kAdded, kModified, kDeleted };
  Type type = Type::kAdded;
  ObjectPtr object;  // the new state; for kDeleted the last one, at the revision of its end
  ObjectPtr before;  // the state that it replaces, for watchers that select
};

struct Listing {
  std::vector<ObjectPtr> objects;  // ordered by namespace and name
  std::int64_t revision = 0;       // a watch from here misses nothing and repeats nothing
  std::size_t total = 0;           // how many there are, on this page and on all others
  bool more = false;               // there are objects after the last one of this page
};

/// Which part of a collection. All pages of one revision together are its state at that revision,
/// whatever is written in between.
struct Page {
  std::string ns;             // empty: all namespaces
  Key after;                  // the last object of the page before; empty: from the first one
  std::size_t limit = 0;      // 0: all
  std::int64_t revision = 0;  // 0: now
};

}  // namespace trainyard::store
