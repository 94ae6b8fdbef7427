#pragma once

#include "object/values/metadata.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace trainyard::workloads {

/// The finalizers that say what becomes of the objects that belong to one being deleted.
inline constexpr const char* kForegroundFinalizer = "foregroundDeletion";
inline constexpr const char* kOrphanFinalizer = "orphan";

bool has_finalizer(const Json& object, std::string_view finalizer);
/// It goes when all that blocks it is gone.
bool is_deleting_foreground(const Json& object);
/// It goes when what belongs to it belongs to it no longer.
bool is_orphaning(const Json& object);

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool blocks = false;  // blockOwnerDeletion
  bool operator==(const OwnerReference&) const = default;
};

std::vector<OwnerReference> read_owners(const Json& object);

/// Who belongs to whom, by uid, as the watches tell it. Pure state: each change returns the uids of
/// those whose fate may have changed by it; somebody has to look at them.
class OwnerGraph {
 public:
  using Uids = std::vector<std::string>;

  struct Member {
    Resource resource;
    Kept object;  // null: it was only spoken of so far, or is gone
    std::vector<OwnerReference> owners;
    std::set<std::string> dependents;
    bool gone = false;  // it was here, and will never be again
  };

  Uids observe(const Resource& resource, const ObjectPtr& object);
  Uids forget(const std::string& uid);
  /// The kind is not served any more: nothing is known about its objects, and nothing is concluded.
  void drop(const Resource& resource);

  const Member* find(const std::string& uid) const;
  /// Whether somebody belongs to it whose reference is right and blocks its deletion.
  bool is_blocked(const std::string& uid) const;
  /// Whether somebody who belongs to it waits for its own dependents: maybe for this one.
  bool has_waiting_dependent(const std::string& uid) const;
  /// Those who name owners that were never seen: their kind may have been unknown, or the watch may
  /// have missed them.
  Uids dependents_of_unseen() const;
  std::size_t size() const { return members_.size(); }

 private:
  void connect(const std::string& uid, const std::vector<OwnerReference>& owners);
  static bool blocks(const Member& dependent, const std::string& owner_uid, const Json& owner);
  std::set<std::string> waiting_owners(const std::string& uid) const;
  void disconnect(const std::string& uid, const std::vector<OwnerReference>& owners, Uids& look);

  std::unordered_map<std::string, Member> members_;
};

/// Whether a reference with the right uid names the wrong object: another name or kind, or one in
/// another namespace. Such an owner counts as absent.
bool is_cross_reference(const Json& dependent, const OwnerReference& reference, const Json& owner);

}  // namespace trainyard::workloads
