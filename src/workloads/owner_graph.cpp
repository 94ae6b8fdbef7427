#include "workloads/owner_graph.h"

#include "workloads/served_kinds.h"
#include "workloads/text.h"

#include <algorithm>

namespace trainyard::workloads {

bool has_finalizer(const Json& object, std::string_view finalizer) {
  const JsonArray& finalizers = array_at(object, "metadata.finalizers");
  return std::any_of(finalizers.begin(), finalizers.end(),
                     [&](const Json& one) { return text_of(one) == finalizer; });
}

bool is_deleting_foreground(const Json& object) {
  return is_being_deleted(object) && has_finalizer(object, kForegroundFinalizer);
}

bool is_orphaning(const Json& object) {
  return is_being_deleted(object) && has_finalizer(object, kOrphanFinalizer);
}

std::vector<OwnerReference> read_owners(const Json& object) {
  std::vector<OwnerReference> owners;
  for (const Json& owner : array_at(object, "metadata.ownerReferences")) {
    owners.push_back(
        OwnerReference{std::string(string_at(owner, "apiVersion")),
                       std::string(string_at(owner, "kind")), std::string(string_at(owner, "name")),
                       std::string(string_at(owner, "uid")), bool_at(owner, "blockOwnerDeletion")});
  }
  return owners;
}

bool is_cross_reference(const Json& dependent, const OwnerReference& reference, const Json& owner) {
  const std::string_view ns = namespace_of(owner);
  return name_of(owner) != reference.name || string_at(owner, "kind") != reference.kind ||
         group_of(string_at(owner, "apiVersion")) != group_of(reference.api_version) ||
         (!ns.empty() && ns != namespace_of(dependent));
}

const OwnerGraph::Member* OwnerGraph::find(const std::string& uid) const {
  const auto found = members_.find(uid);
  return found == members_.end() ? nullptr : &found->second;
}

/// Whether a dependent's reference to an owner is right and blocks it.
bool OwnerGraph::blocks(const Member& dependent, const std::string& owner_uid, const Json& owner) {
  return std::any_of(dependent.owners.begin(), dependent.owners.end(),
                     [&](const OwnerReference& reference) {
                       return reference.uid == owner_uid && reference.blocks &&
                              !is_cross_reference(dependent.object->body(), reference, owner);
                     });
}

void OwnerGraph::connect(const std::string& uid, const std::vector<OwnerReference>& owners) {
  for (const OwnerReference& owner : owners) members_[owner.uid].dependents.insert(uid);
}

/// An owner that waits for its dependents may wait for one less; one that was only spoken of is
/// forgotten with the last who speaks of it.
void OwnerGraph::disconnect(const std::string& uid, const std::vector<OwnerReference>& owners,
                            Uids& look) {
  for (const OwnerReference& reference : owners) {
    const auto owner = members_.find(reference.uid);
    if (owner == members_.end()) continue;
    owner->second.dependents.erase(uid);
    if (owner->second.object == nullptr) {
      if (owner->second.dependents.empty()) members_.erase(owner);
    } else if (is_deleting_foreground(owner->second.object->body())) {
      look.push_back(reference.uid);
    }
  }
}

OwnerGraph::Uids OwnerGraph::observe(const Resource& resource, const ObjectPtr& object) {
  const std::string uid(uid_of(object->body()));
  std::vector<OwnerReference> owners = read_owners(object->body());
  const bool waits = is_deleting_foreground(object->body());
  const bool orphans = is_orphaning(object->body());
  const auto known = members_.find(uid);
  const ObjectPtr before = known == members_.end() ? nullptr : known->second.object.get();
  const std::vector<OwnerReference> owners_before =
      known == members_.end() ? std::vector<OwnerReference>() : known->second.owners;

  Uids look;
  const bool other_owners = owners != owners_before;
  if (other_owners) {
    disconnect(uid, owners_before, look);
    connect(uid, owners);
  }
  Member& member = members_[uid];
  const bool begins_to_wait =
      waits && (before == nullptr || !is_deleting_foreground(before->body()));
  const bool begins_to_orphan = orphans && (before == nullptr || !is_orphaning(before->body()));
  if (begins_to_wait) look.insert(look.end(), member.dependents.begin(), member.dependents.end());
  if (begins_to_wait || begins_to_orphan || (other_owners && !owners.empty())) look.push_back(uid);
  member.resource = resource;
  member.object = object;
  member.owners = std::move(owners);
  member.gone = false;
  return look;
}

OwnerGraph::Uids OwnerGraph::forget(const std::string& uid) {
  Uids look;
  const auto found = members_.find(uid);
  if (found == members_.end()) return look;
  Member& member = found->second;
  member.object = Kept();
  member.gone = true;
  look.assign(member.dependents.begin(), member.dependents.end());
  const std::vector<OwnerReference> owners = std::exchange(member.owners, {});
  if (member.dependents.empty()) members_.erase(found);
  disconnect(uid, owners, look);
  return look;
}

void OwnerGraph::drop(const Resource& resource) {
  std::vector<std::string> dropped;
  for (const auto& [uid, member] : members_) {
    if (member.object != nullptr && member.resource == resource) dropped.push_back(uid);
  }
  Uids ignored;
  for (const std::string& uid : dropped) {
    const auto found = members_.find(uid);
    found->second.object = Kept();
    const std::vector<OwnerReference> owners = std::exchange(found->second.owners, {});
    if (found->second.dependents.empty()) members_.erase(found);
    disconnect(uid, owners, ignored);
  }
}

/// Those that wait for it, directly or through others: each has a reference that blocks.
std::set<std::string> OwnerGraph::waiting_owners(const std::string& uid) const {
  std::set<std::string> found;
  Uids next{uid};
  while (!next.empty()) {
    const Member* member = find(next.back());
    next.pop_back();
    if (member == nullptr) continue;
    for (const OwnerReference& reference : member->owners) {
      const Member* owner = find(reference.uid);
      if (!reference.blocks || owner == nullptr || owner->object == nullptr) continue;
      if (!is_deleting_foreground(owner->object->body())) continue;
      if (found.insert(reference.uid).second) next.push_back(reference.uid);
    }
  }
  return found;
}

bool OwnerGraph::is_blocked(const std::string& uid) const {
  const Member* owner = find(uid);
  if (owner == nullptr || owner->object == nullptr) return false;
  const Json& owner_body = owner->object->body();
  // Those that wait for this one cannot be waited for: they would wait for each other for ever.
  const std::set<std::string> circle = waiting_owners(uid);
  return std::any_of(
      owner->dependents.begin(), owner->dependents.end(), [&](const std::string& dependent_uid) {
        const Member* dependent = find(dependent_uid);
        return dependent != nullptr && dependent->object != nullptr &&
               !circle.contains(dependent_uid) && blocks(*dependent, uid, owner_body);
      });
}

bool OwnerGraph::has_waiting_dependent(const std::string& uid) const {
  const Member* owner = find(uid);
  return owner != nullptr && std::any_of(owner->dependents.begin(), owner->dependents.end(),
                                         [&](const std::string& dependent_uid) {
                                           const Member* dependent = find(dependent_uid);
                                           return dependent != nullptr &&
                                                  dependent->object != nullptr &&
                                                  is_deleting_foreground(dependent->object->body());
                                         });
}

OwnerGraph::Uids OwnerGraph::dependents_of_unseen() const {
  Uids look;
  for (const auto& [uid, member] : members_) {
    if (member.object != nullptr || member.gone) continue;
    look.insert(look.end(), member.dependents.begin(), member.dependents.end());
  }
  return look;
}

}  // namespace trainyard::workloads
