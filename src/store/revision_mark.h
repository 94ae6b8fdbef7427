#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace trainyard::store {

/// A number in a file of its own beside the store: no revision beyond it has been given out. It
/// keeps revisions from going back when the store is replaced by an older backup or by an empty
/// one, which clients that remember a later revision could not notice.
class RevisionMark {
 public:
  static Result<RevisionMark> open(std::filesystem::path file);

  std::int64_t value() const { return value_; }
  /// Before a revision is given out. Writes to the disk once in kBlock revisions.
  Result<> cover(std::int64_t revision);
  /// At a proper end: `revision` was the last one, the rest of the block is not needed.
  Result<> settle(std::int64_t revision);

 private:
  static constexpr std::int64_t kBlock = 10'000;
  Result<> write(std::int64_t value);

  std::filesystem::path file_;
  std::int64_t value_ = 0;
};

}  // namespace trainyard::store
