#pragma once

#include "server/verbs/verbs.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace trainyard::server {

/// One watch: what exists now (when asked for), then every change that concerns the selection. An
/// object that stops matching is DELETED for this watcher; one that begins to match is ADDED.
class Watcher {
 public:
  /// `from_version` empty or "0": begin with what exists. kExpired when it is too old.
  static Result<std::unique_ptr<Watcher>> open(Verbs& verbs, KindPtr kind,
                                               const client::ListOptions& options,
                                               const std::string& from_version);

  /// The next event that is ready. kExpired: this watcher was too slow.
  Result<std::optional<client::WatchEvent>> try_next();
  awaitable<void> wait() { return cursor_->wait(); }
  /// Ends wait() early.
  void wake() { cursor_->wake(); }
  /// Whether events of the initial state are still to come.
  bool has_initial() const { return !initial_.empty(); }
  /// The version that the watch began with: that of the initial state, when there is one.
  std::int64_t first_revision() const { return first_revision_; }

 private:
  std::optional<client::WatchEvent> select(const store::Change& change) const;

  Verbs* verbs_ = nullptr;
  KindPtr kind_;
  Selection selection_;
  std::int64_t first_revision_ = 0;
  std::deque<ObjectPtr> initial_;
  std::unique_ptr<store::Store::Cursor> cursor_;
};

}  // namespace trainyard::server
