#include "client/watching/work_queue.h"

namespace trainyard::client {

void WorkQueue::add(const Key& key) {
  if (waiting_.insert(key).second && !running_.contains(key)) queue_.push_back(key);
}

void WorkQueue::add_at(const Key& key, TimePoint when) {
  const auto [entry, fresh] = times_.try_emplace(key, when);
  if (!fresh) {
    if (entry->second <= when) return;
    by_time_.erase({entry->second, key});
    entry->second = when;
  }
  by_time_.emplace(when, key);
}

std::optional<Key> WorkQueue::take(TimePoint now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const Key key = by_time_.begin()->second;
    by_time_.erase(by_time_.begin());
    times_.erase(key);
    add(key);
  }
  if (queue_.empty()) return std::nullopt;
  Key key = std::move(queue_.front());
  queue_.pop_front();
  waiting_.erase(key);
  running_.insert(key);
  return key;
}

void WorkQueue::done(const Key& key) {
  running_.erase(key);
  if (waiting_.contains(key)) queue_.push_back(key);
}

std::optional<TimePoint> WorkQueue::next_time() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace trainyard::client
