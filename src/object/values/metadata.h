#pragma once

#include "object/json/json.h"

#include <fmt/format.h>

#include <compare>
#include <memory>
#include <string>
#include <string_view>

namespace trainyard {

/// Which objects: group, version and plural name, as in /apis/GROUP/VERSION/PLURAL.
struct Resource {
  std::string group;  // empty: the core group
  std::string version;
  std::string plural;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  auto operator<=>(const Resource&) const = default;
};

/// Which object of a resource. The namespace is empty for cluster-wide kinds.
struct Key {
  std::string ns;
  std::string name;
  auto operator<=>(const Key&) const = default;
};

class SharedOwners;

/// A text that never changes: whoever has it may read it, on any thread.
using SharedText = std::shared_ptr<const std::string>;

/// A stored object: never changed, shared by everyone who looks at it. It has two forms, the tree
/// and the text, of which the missing one is made when it is first asked for: an object that nobody
/// looks into costs little more than its text. Belongs to the loop thread: others get
/// its shared_text().
class StoredObject {
 public:
  StoredObject(Json body, std::int64_t revision)
      : tree_(std::make_unique<const Json>(std::move(body))), revision_(revision) {}
  /// `text` must be JSON that parse_json() reads: an object's text is never looked at twice.
  static std::shared_ptr<const StoredObject> from_text(std::string text, std::int64_t revision);
  static std::shared_ptr<const StoredObject> from_text(SharedText text, std::int64_t revision);

  /// The tree; metadata.managedFields may be missing, see owners_text.h.
  const Json& body() const {
    if (!tree_) tree_ = std::make_unique<const Json>(read_text());
    looked_at_ = true;
    return *tree_;
  }
  /// The body as to_text() writes it. Answers are put together from these.
  const std::string& text() const { return *shared_text(); }
  /// The same for who keeps it, on whatever thread: the object may come to rest meanwhile.
  const SharedText& shared_text() const {
    if (text_ == nullptr || owners_ != nullptr) write_text();
    return text_;
  }
  /// The length of text(), without making one.
  std::size_t text_size() const;
  /// A tree with everything that the text says: what a write begins with.
  Json whole() const;
  std::int64_t revision() const { return revision_; }
  bool has_tree() const { return tree_ != nullptr; }
  /// apiVersion, kind and metadata without managedFields. Leaves no tree behind.
  Json metadata_only() const;

 private:
  friend class Kept;
  StoredObject(SharedText text, std::int64_t revision)
      : text_(std::move(text)), revision_(revision) {}
  Json read_text() const;
  void write_text() const;
  void rest(SharedOwners& shared) const;

  mutable SharedText text_;                   // null: not made yet. Replaced, never changed
  mutable SharedText owners_;                 // of one at rest: what its text lacks
  mutable std::unique_ptr<const Json> tree_;  // null: not made yet
  std::int64_t revision_;
  mutable std::uint32_t cut_ = 0;     // where it lacks them
  mutable std::int32_t keepers_ = 0;  // how many Kept have it
  mutable bool looked_at_ = false;    // since it was last asked to rest
};
using ObjectPtr = std::shared_ptr<const StoredObject>;

/// Holds an object to have it, not to look at it: the store's and an informer's many. A tree takes
/// four times the room of its text, so an object that nobody else has gives it up when it is told
/// to rest. Whoever works with an object over a suspension therefore holds an ObjectPtr of its own.
/// Belongs to the loop thread.
class Kept {
 public:
  Kept() = default;
  Kept(ObjectPtr object) : object_(std::move(object)) { count(1); }  // NOLINT: it is one
  Kept(const Kept& other) : Kept(other.object_) {}
  Kept(Kept&& other) noexcept : object_(std::move(other.object_)) { other.object_ = nullptr; }
  Kept& operator=(Kept other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Kept() { count(-1); }

  operator const ObjectPtr&() const { return object_; }  // NOLINT: it is one
  const ObjectPtr& get() const { return object_; }
  const StoredObject* operator->() const { return object_.get(); }
  const StoredObject& operator*() const { return *object_; }
  bool operator==(std::nullptr_t) const { return object_ == nullptr; }

  /// Only from the loop, never from within somebody's work. False: somebody else has it.
  bool rest(SharedOwners& shared) const;
  /// The same for one that nobody has looked at since the last time.
  void rest_if_idle(SharedOwners& shared) const;

 private:
  void count(std::int32_t more) const {
    if (object_ != nullptr) object_->keepers_ += more;
  }
  ObjectPtr object_;
};

inline std::string_view name_of(const Json& object) {
  return string_at(object, "metadata.name");
}
inline std::string_view namespace_of(const Json& object) {
  return string_at(object, "metadata.namespace");
}
inline std::string_view uid_of(const Json& object) {
  return string_at(object, "metadata.uid");
}
Key key_of(const Json& object);
/// A label's or annotation's value; empty when it is not there.
std::string_view label_of(const Json& object, std::string_view name);
std::string_view annotation_of(const Json& object, std::string_view name);
bool is_being_deleted(const Json& object);
/// The ownerReference with controller: true, or nullptr.
const Json* controller_of(const Json& object);
/// An entry for metadata.ownerReferences that makes `owner` the controller.
Json owner_reference(const Json& owner);

/// Empty when the name may be used, else what is wrong with it. Most names are DNS subdomains;
/// namespaces and services are single DNS labels.
std::string check_subdomain_name(std::string_view name);
std::string check_label_name(std::string_view name);

/// The resources that the code itself speaks of.
inline const Resource kPods{"", "v1", "pods"};
inline const Resource kNodes{"", "v1", "nodes"};
inline const Resource kServices{"", "v1", "services"};
inline const Resource kEvents{"", "v1", "events"};
inline const Resource kNamespaces{"", "v1", "namespaces"};
inline const Resource kConfigMaps{"", "v1", "configmaps"};
inline const Resource kSecrets{"", "v1", "secrets"};
inline const Resource kVolumeClaims{"", "v1", "persistentvolumeclaims"};
inline const Resource kServiceAccounts{"", "v1", "serviceaccounts"};
inline const Resource kPodGroups{"scheduling.volcano.sh", "v1beta1", "podgroups"};
inline const Resource kPyTorchTrainingJobs{"batch.tensorstack.dev", "v1beta1",
                                           "pytorchtrainingjobs"};
inline const Resource kTensorBoards{"tensorstack.dev", "v1beta1", "tensorboards"};

}  // namespace trainyard

template <>
struct fmt::formatter<trainyard::Key> : fmt::formatter<std::string_view> {
  // Not here: format_to compiles all of fmt's formatting into every file that sees its call.
  fmt::format_context::iterator format(const trainyard::Key& key,
                                       fmt::format_context& context) const;
};
