#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::store {

/// One object as it lies on disk; no body means that it was deleted.
struct Row {
  std::string collection;
  std::string ns;
  std::string name;
  std::int64_t revision = 0;
  bool deleted = false;
  std::string body;
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
};

/// Keeps nothing: for tests and simulations.
class NoJournal final : public Journal {
 public:
  Result<Contents> load() override { return Contents(); }
  Result<> commit(const std::vector<Row>&) override { return Ok(); }
};

}  // namespace trainyard::store
