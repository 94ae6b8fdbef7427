#pragma once

#include "base/result.h"
#include "object/values/metadata.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::store {

/// A state of an object as it lies on disk. Not the object, which belongs to the loop and changes
/// what it keeps: rows are read on the writer's thread.
struct RowState {
  RowState() = default;
  explicit RowState(const StoredObject& object)
      : revision(object.revision()), text(object.shared_text()) {}
  std::int64_t revision = 0;
  SharedText text;  // null: there was nothing
};

struct Row {
  std::string collection;
  Key key;
  RowState state;
  RowState before;       // what it takes the place of
  bool deleted = false;  // `state` is the last one, at the revision of its end
};

struct Contents {
  std::vector<Row> rows;
  std::int64_t revision = 0;  // the highest ever given out, also to objects that are gone
};

/// Where writes become durable. Called from one thread at a time.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual Result<Contents> load() = 0;
  /// All rows or none survive, whatever happens after it has returned.
  /// kUnavailable: the disk is full, later writes may succeed. kInternal: give up writing.
  virtual Result<> commit(const std::vector<Row>& rows) = 0;
  /// Time for housekeeping: the last commit has been acknowledged and, when `idle`, nothing has
  /// been written for a while. Errors as from commit().
  virtual Result<> tidy(bool /*idle*/) { return Ok(); }
};

/// Keeps nothing: for tests and simulations.
class NoJournal final : public Journal {
 public:
  Result<Contents> load() override { return Contents(); }
  Result<> commit(const std::vector<Row>&) override { return Ok(); }
};

}  // namespace trainyard::store
