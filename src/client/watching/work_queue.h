#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace trainyard::client {

/// The keys that want work: each once, however often it was added; never taken by two at a time;
/// again when it was added while it was being worked on. Knows no clock: it is told the time.
class WorkQueue {
 public:
  void add(const Key& key);
  /// As add(), but not before `when`. Of several times for one key the earliest counts.
  void add_at(const Key& key, TimePoint when);

  /// The next key, if there is one; done() must follow.
  std::optional<Key> take(TimePoint now);
  void done(const Key& key);

  /// How many keys wait to be taken; those whose time has not come do not.
  std::size_t depth() const { return queue_.size(); }
  /// When the next key of add_at() is due.
  std::optional<TimePoint> next_time() const;

 private:
  std::deque<Key> queue_;
  std::set<Key> waiting_;  // in queue_, or to be put there when its work ends
  std::set<Key> running_;
  std::map<Key, TimePoint> times_;
  std::set<std::pair<TimePoint, Key>> by_time_;  // the same as times_
};

}  // namespace trainyard::client
