#pragma once

#include "object/apply/field_set.h"
#include "object/apply/managed_fields.h"

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace trainyard {

/// One entry of metadata.managedFields.
struct Owner {
  std::string manager;
  bool applies = false;  // operation Apply, else Update
  std::string api_version;
  std::string time;  // may be empty
  std::string subresource;
  FieldSet fields;
  /// The entry itself while its fields have not been read: most owners are not concerned by a
  /// change, and reading and writing their fields would be most of the work.
  const Json* unread = nullptr;

  void read_fields();
  /// Whether one of the fields, or something around or below it, is this owner's.
  bool may_own_any_of(const FieldSet& some) const;

  /// Updates in different versions are different owners; an applier is one in every version. The
  /// order is that of Kubernetes' identifiers: owners of a subresource come first.
  auto identity() const {
    return std::tuple(std::string_view(manager), !applies,
                      applies ? std::string_view() : std::string_view(api_version),
                      subresource.empty(), std::string_view(subresource));
  }
  bool is_same_as(const Owner& other) const { return identity() == other.identity(); }
};

/// metadata.managedFields, read. Internal to the functions of managed_fields.h.
class Owners {
 public:
  /// kInvalid when an entry cannot be read; {} when there are none.
  static Result<Owners> read(const Json& object);
  /// The same for an object that was stored, whose fields are read when they are needed: the
  /// object must outlive this.
  static Result<Owners> of_stored(const Json& object);
  /// Replaces the object's managedFields; removes them when nobody owns anything.
  void write(Json& object) const;

  bool empty() const { return owners_.empty(); }
  std::vector<Owner>& all() { return owners_; }
  const std::vector<Owner>& all() const { return owners_; }
  Owner* find(const Owner& same);
  /// Adds the owner, or gives it more fields and the new owner's time and version.
  void add(Owner owner);
  void remove_empty();
  /// Above ten, the oldest owners by update become one called ancient-changes.
  void merge_ancient();

 private:
  static Result<Owners> read_entries(const Json& object, bool with_fields);
  /// Brings what was put in without a look into order. A request can bring thousands of entries:
  /// looking for each among all others would take seconds. Of those with one identity the last one
  /// counts, or takes the fields of the others.
  enum class Same : std::uint8_t { kLastCounts, kJoin };
  void settle(Same same);

  std::vector<Owner> owners_;  // by identity, each once
};

Owner owner_for(const FieldManager& manager, bool applies);
/// Without what the server itself decides: name, uid, resourceVersion and their like.
void strip_metadata(FieldSet& fields);

/// Gives `manager` what changed between two states of an object, and takes it from all others.
void track_changes(Owners& owners, const Json& before, const Json& after, const Schema& schema,
                   const FieldManager& manager);

}  // namespace trainyard
