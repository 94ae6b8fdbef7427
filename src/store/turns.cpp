#include "store/turns.h"

namespace trainyard::store {

std::size_t Turns::Hash::operator()(const ObjectId& id) const {
  const std::hash<std::string> text;
  std::size_t hash = std::hash<const void*>()(id.collection);
  hash = hash * 31 + text(id.key.ns);
  return hash * 31 + text(id.key.name);
}

Turns::Turn::Turn(std::shared_ptr<Turns> turns, std::vector<ObjectId> ids, Notifier& come)
    : turns_(std::move(turns)), places_(ids.size()), come_(come) {
  auto place = places_.begin();
  for (ObjectId& id : ids) {
    auto& [kept_id, queue] = *turns_->queues_.try_emplace(std::move(id)).first;
    *place = Place{this, queue.last, nullptr, &kept_id};
    (queue.last == nullptr ? queue.first : queue.last->behind) = &*place;
    if (queue.last != nullptr) ++waits_;
    queue.last = &*place;
    ++place;
  }
}

void Turns::Turn::end() {
  for (Place& place : places_) {
    const auto found = turns_->queues_.find(*place.id);
    Queue& queue = found->second;
    (place.ahead == nullptr ? queue.first : place.ahead->behind) = place.behind;
    (place.behind == nullptr ? queue.last : place.behind->ahead) = place.ahead;
    if (queue.first == nullptr) {
      turns_->queues_.erase(found);
    } else if (place.ahead == nullptr) {
      Turn& next = *queue.first->turn;
      if (--next.waits_ == 0) next.come_.notify_all();
    }
  }
  places_.clear();
}

}  // namespace trainyard::store
