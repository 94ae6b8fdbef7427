#include "client/watching/object_index.h"

namespace trainyard::client {

void ObjectIndex::add_index(const std::string& name, ValuesOf values_of) {
  indexes_[name].values_of = std::move(values_of);
}

void ObjectIndex::put(const ObjectPtr& object) {
  Key key = key_of(object->body());
  if (!indexes_.empty()) erase(key);
  const auto placed = objects_.insert_or_assign(std::move(key), object).first;
  for (auto& [name, index] : indexes_) {
    for (const std::string& value : index.values_of(object->body())) {
      index.keys[value].insert(&placed->first);
    }
  }
}

void ObjectIndex::erase(const Key& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  for (auto& [name, index] : indexes_) {
    for (const std::string& value : index.values_of(found->second->body())) {
      const auto entry = index.keys.find(value);
      if (entry == index.keys.end()) continue;  // the function named it twice
      entry->second.erase(&found->first);
      if (entry->second.empty()) index.keys.erase(entry);
    }
  }
  objects_.erase(found);
}

std::vector<ObjectPtr> ObjectIndex::by_index(const std::string& name,
                                             const std::string& value) const {
  std::vector<ObjectPtr> found;
  const auto index = indexes_.find(name);
  if (index == indexes_.end()) return found;
  const auto entry = index->second.keys.find(value);
  if (entry == index->second.keys.end()) return found;
  for (const Key* key : entry->second) found.push_back(objects_.at(*key));
  return found;
}

std::vector<std::string> owner_uids(const Json& object) {
  std::vector<std::string> uids;
  for (const Json& owner : array_at(object, "metadata.ownerReferences")) {
    uids.emplace_back(string_at(owner, "uid"));
  }
  return uids;
}

std::vector<std::string> own_namespace(const Json& object) {
  return {std::string(namespace_of(object))};
}

}  // namespace trainyard::client
