#pragma once

#include "base/files/unique_fd.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace trainyard::store {

/// Two numbers in a file of their own beside the store.
///
/// The first: no revision beyond it has been given out. It keeps revisions from going back when the
/// store is replaced by an older backup or by an empty one, which clients that remember a later
/// revision could not notice.
///
/// The second: up to this revision, writes have been durable, and may have been acknowledged. A
/// store that ends before it has lost some. It is written after each commit, and before that is
/// acknowledged, without a sync: after a crash it may be behind the store, never ahead of it.
/// Files of older versions lack it.
class RevisionMark {
 public:
  static Result<RevisionMark> open(std::filesystem::path file);

  std::int64_t value() const { return value_; }
  std::optional<std::int64_t> durable() const { return durable_; }
  /// Before a revision is given out. Writes to the disk once in kBlock revisions.
  Result<> cover(std::int64_t revision);
  /// After a commit. What cannot be written is left: the number may be too low.
  void note_durable(std::int64_t revision);
  /// At a proper end: `revision` was the last one, the rest of the block is not needed.
  Result<> settle(std::int64_t revision, std::int64_t durable);

  /// The file's text.
  static std::string text_of(std::int64_t value, std::optional<std::int64_t> durable);

 private:
  static constexpr std::int64_t kBlock = 10'000;
  Result<> write(std::int64_t value);

  std::filesystem::path file_;
  UniqueFd open_file_;  // to write the second number in its place
  std::int64_t value_ = 0;
  std::optional<std::int64_t> durable_;
};

}  // namespace trainyard::store
