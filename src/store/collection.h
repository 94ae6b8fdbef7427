#pragma once

#include "base/notifier.h"
#include "base/result.h"
#include "object/values/owners_text.h"
#include "store/listing.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::store {

/// The objects of one resource, ordered by namespace and name, and what lately happened to them.
/// Changes are counted from the first one: a place in the history stays valid until the change
/// there has been dropped.
class Collection {
 public:
  /// The history will hold every change after revision `since`.
  Collection(const Executor& loop, std::int64_t since)
      : loop_(loop), since_(since), changed_(loop), self_(std::make_shared<Collection*>(this)) {}
  ~Collection() { *self_ = nullptr; }
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  ObjectPtr get(const Key& key) const;
  std::int64_t changed_at() const { return changed_at_; }
  std::size_t size() const { return count_; }
  /// kExpired when the changes since the page's revision are no longer kept.
  Result<Listing> list(const Page& page) const;

  /// For objects that were there before the history began.
  void load(const Key& key, ObjectPtr object);
  void publish(const Key& key, Change change);

  /// The place of the first change after `revision`. kExpired when that is no longer kept.
  Result<std::uint64_t> place_after(std::int64_t revision) const;
  std::uint64_t first_place() const { return dropped_; }
  std::uint64_t end_place() const { return dropped_ + history_.size(); }
  Change change_at(std::uint64_t place) const;
  const Key& key_at(std::uint64_t place) const { return history_[place - dropped_].key; }

  void drop_oldest_change();
  std::size_t history_size() const { return history_.size(); }
  /// What the history alone keeps in memory: states that were replaced or deleted.
  std::size_t history_bytes() const { return history_bytes_; }

  Notifier& changed() { return changed_; }

  /// Lets up to `count` objects from the first one after `from` on give up trees that nobody uses.
  /// The key of the last one; empty: all have been asked. Only from the loop itself.
  Key rest(const Key& from, std::size_t count);
  /// All at once, those too that were looked at a moment ago.
  void rest_all();

 private:
  using Names = std::map<std::string, Kept, std::less<>>;
  using Namespaces = std::map<std::string, Names, std::less<>>;
  using Past = std::map<Key, ObjectPtr>;  // what was there instead; null: nothing
  struct Entry {
    Key key;
    Change::Type type;
    Kept object;  // as in Change
    Kept before;
  };
  class Walk;

  std::size_t count(const std::string& ns) const;
  void slim_held();
  void slim_later();
  void slim_history();
  bool slim(const Entry& entry);
  Past past_of(const std::string& ns, std::uint64_t place) const;
  static std::size_t bytes_of(const Entry& entry);

  Executor loop_;
  Namespaces namespaces_;
  std::size_t count_ = 0;
  std::deque<Entry> history_;
  std::size_t history_bytes_ = 0;
  std::uint64_t dropped_ = 0;        // how many changes have left the front of the history
  std::uint64_t slimmed_ = 0;        // the place up to which the history has been looked through
  std::vector<std::uint64_t> held_;  // places before that where somebody else had what was replaced
  bool will_slim_ = false;
  SharedOwners owners_;
  std::int64_t since_;  // the history holds every change after this revision
  std::int64_t changed_at_ = 0;
  Notifier changed_;
  std::shared_ptr<Collection*> self_;  // null once it is gone
};

}  // namespace trainyard::store
