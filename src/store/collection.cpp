#include "store/collection.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace trainyard::store {

/// Steps through the objects of one namespace or all, in order, from the first one after a key.
class Collection::Walk {
 public:
  Walk(const Namespaces& namespaces, const std::string& ns, const Key& after)
      : space_(namespaces.lower_bound(std::max(ns, after.ns))), end_(namespaces.end()) {
    // Beyond the one namespace that is asked for there is nothing to see.
    if (!ns.empty()) end_ = namespaces.upper_bound(ns);
    if (!ns.empty() && after.ns > ns) space_ = end_;
    if (space_ == end_) return;
    object_ =
        space_->first == after.ns ? space_->second.upper_bound(after.name) : space_->second.begin();
    settle();
  }

  bool ended() const { return space_ == end_; }
  const Kept& object() const { return object_->second; }
  Key key() const { return {space_->first, object_->first}; }
  /// How the present object's key compares with another one.
  std::strong_ordering compare(const Key& key) const {
    const auto order = space_->first <=> key.ns;
    return order != 0 ? order : object_->first <=> key.name;
  }
  void next() {
    ++object_;
    settle();
  }

 private:
  void settle() {
    while (object_ == space_->second.end()) {
      if (++space_ == end_) return;
      object_ = space_->second.begin();
    }
  }

  Namespaces::const_iterator space_;
  Namespaces::const_iterator end_;
  Names::const_iterator object_;
};

ObjectPtr Collection::get(const Key& key) const {
  const auto space = namespaces_.find(key.ns);
  if (space == namespaces_.end()) return nullptr;
  const auto object = space->second.find(key.name);
  return object == space->second.end() ? nullptr : object->second.get();
}

std::size_t Collection::count(const std::string& ns) const {
  if (ns.empty()) return count_;
  const auto space = namespaces_.find(ns);
  return space == namespaces_.end() ? 0 : space->second.size();
}

/// The first change of each object says what had been there before.
Collection::Past Collection::past_of(const std::string& ns, std::uint64_t place) const {
  Past past;
  for (; place < end_place(); ++place) {
    const Entry& entry = history_[place - dropped_];
    if (ns.empty() || entry.key.ns == ns) past.try_emplace(entry.key, entry.before.get());
  }
  return past;
}

Result<Listing> Collection::list(const Page& page) const {
  Past past;
  if (page.revision != 0) {
    TRY(const std::uint64_t place, place_after(page.revision));
    past = past_of(page.ns, place);
  }
  Listing listing;
  listing.revision = page.revision;
  listing.total = count(page.ns);
  for (const auto& [key, before] : past) {
    if (before != nullptr) ++listing.total;
    if (get(key) != nullptr) --listing.total;
  }
  // Two ordered sequences: what is there now, and what was there instead.
  Walk now(namespaces_, page.ns, page.after);
  auto then = past.upper_bound(page.after);
  while (!now.ended() || then != past.end()) {
    const bool take_past = now.ended() || (then != past.end() && now.compare(then->first) >= 0);
    const ObjectPtr& object = take_past ? then->second : now.object().get();
    if (object != nullptr && page.limit != 0 && listing.objects.size() == page.limit) {
      listing.more = true;
      break;
    }
    if (object != nullptr) listing.objects.push_back(object);
    if (!now.ended() && (!take_past || now.compare(then->first) == 0)) now.next();
    if (take_past) ++then;
  }
  return listing;
}

void Collection::load(const Key& key, ObjectPtr object) {
  changed_at_ = std::max(changed_at_, object->revision());
  namespaces_[key.ns][key.name] = std::move(object);
  ++count_;
}

void Collection::publish(const Key& key, Change change) {
  changed_at_ = change.object->revision();
  if (change.type == Change::Type::kDeleted) {
    const auto space = namespaces_.find(key.ns);
    space->second.erase(key.name);
    if (space->second.empty()) namespaces_.erase(space);
    --count_;
  } else {
    namespaces_[key.ns][key.name] = change.object;
    if (change.type == Change::Type::kAdded) ++count_;
  }
  history_.push_back(
      Entry{key, change.type, Kept(std::move(change.object)), Kept(std::move(change.before))});
  history_bytes_ += bytes_of(history_.back());
  changed_.notify_all();
  slim_later();
}

/// After those who wait for changes have looked at the new ones.
void Collection::slim_later() {
  if (std::exchange(will_slim_, true)) return;
  boost::asio::post(loop_, [self = self_] {
    if (*self != nullptr) (*self)->slim_history();
  });
}

/// Trees take four times the room of texts. Watchers look into a state soon after it was written;
/// when it has been replaced, and nobody but the history has it, its text is enough.
void Collection::slim_history() {
  will_slim_ = false;
  for (slimmed_ = std::max(slimmed_, dropped_); slimmed_ < end_place(); ++slimmed_) {
    if (!slim(history_[slimmed_ - dropped_])) held_.push_back(slimmed_);
  }
}

/// False: somebody else still has what this change has replaced.
bool Collection::slim(const Entry& entry) {
  const bool deleted = entry.type == Change::Type::kDeleted;
  return entry.before.rest(owners_) && (!deleted || entry.object.rest(owners_));
}

void Collection::slim_held() {
  owners_.forget_unused();
  std::erase_if(held_, [this](std::uint64_t place) {
    return place < dropped_ || slim(history_[place - dropped_]);
  });
}

void Collection::rest_all() {
  slim_held();
  for (Walk walk(namespaces_, "", Key{}); !walk.ended(); walk.next())
    (void)walk.object().rest(owners_);
}

Key Collection::rest(const Key& from, std::size_t count) {
  if (from == Key{}) slim_held();
  Walk walk(namespaces_, "", from);
  for (; !walk.ended() && count > 1; --count, walk.next()) walk.object().rest_if_idle(owners_);
  if (walk.ended()) return {};
  walk.object().rest_if_idle(owners_);
  return walk.key();
}

Change Collection::change_at(std::uint64_t place) const {
  const Entry& entry = history_[place - dropped_];
  return {entry.type, entry.object, entry.before};
}

Result<std::uint64_t> Collection::place_after(std::int64_t revision) const {
  if (revision < since_) {
    return Error(Code::kExpired,
                 fmt::format("too old resource version: {} ({})", revision, since_));
  }
  const auto next = std::partition_point(history_.begin(), history_.end(), [&](const Entry& entry) {
    return entry.object->revision() <= revision;
  });
  return dropped_ + static_cast<std::uint64_t>(next - history_.begin());
}

void Collection::drop_oldest_change() {
  const Entry& oldest = history_.front();
  since_ = oldest.object->revision();
  history_bytes_ -= bytes_of(oldest);
  history_.pop_front();
  ++dropped_;
}

/// The state after a change is counted when the next one replaces it: until then it is the present.
std::size_t Collection::bytes_of(const Entry& entry) {
  constexpr std::size_t kAround = 320;  // the entry itself, its key, the objects beside their texts
  std::size_t bytes = kAround;
  if (entry.before != nullptr) bytes += entry.before->text_size();
  if (entry.type == Change::Type::kDeleted) bytes += entry.object->text_size();
  return bytes;
}

}  // namespace trainyard::store
