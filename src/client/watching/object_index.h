#pragma once

#include "object/values/metadata.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace trainyard::client {

/// Objects by key, and by whatever else they are asked for: what belongs to an owner is found
/// without a look at everything else.
class ObjectIndex {
 public:
  /// The values under which an object is found in an index; there may be none.
  using ValuesOf = std::function<std::vector<std::string>(const Json& object)>;

  /// Before the first object.
  void add_index(const std::string& name, ValuesOf values_of);

  void put(const ObjectPtr& object);
  void erase(const Key& key);

  const std::map<Key, Kept>& all() const { return objects_; }
  /// Ordered by namespace and name.
  std::vector<ObjectPtr> by_index(const std::string& name, const std::string& value) const;

 private:
  struct ByKey {
    bool operator()(const Key* left, const Key* right) const { return *left < *right; }
  };
  struct Index {
    ValuesOf values_of;
    std::unordered_map<std::string, std::set<const Key*, ByKey>> keys;  // those of objects_
  };

  std::map<Key, Kept> objects_;
  std::map<std::string, Index> indexes_;
};

/// For add_index(): the uid of every owner.
inline constexpr const char* kByOwner = "owner";
std::vector<std::string> owner_uids(const Json& object);
/// For add_index(): the namespace.
inline constexpr const char* kByNamespace = "namespace";
std::vector<std::string> own_namespace(const Json& object);

}  // namespace trainyard::client
