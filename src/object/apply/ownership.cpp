#include "object/apply/ownership.h"

#include "base/clock.h"
#include "object/apply/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainyard {
namespace {

constexpr std::ptrdiff_t kMostUpdaters = 10;

std::int64_t seconds_of(const Owner& owner) {
  const auto time = parse_time(owner.time);
  if (owner.time.empty() || !time) return 0;
  return std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count();
}

Result<FieldSet> fields_of_entry(const Json& entry) {
  const Json* fields = trainyard::find(entry, "fieldsV1");
  if (fields == nullptr || fields->is_null()) return FieldSet();
  return FieldSet::parse(*fields);
}

/// Looks the fields up in FieldsV1 as we write it.
bool may_contain(const Json& fields_v1, const FieldSet& some) {
  if (!fields_v1.is_object()) return false;
  return std::any_of(some.nodes().begin(), some.nodes().end(), [&](const FieldSet::Node& node) {
    const Json* same = fields_v1.get_object().if_contains(node.element.to_text());
    return same != nullptr && (node.belongs || may_contain(*same, node.below));
  });
}

Result<Owner> read_owner(const Json& entry) {
  Owner owner;
  owner.manager = string_at(entry, "manager");
  owner.api_version = string_at(entry, "apiVersion");
  owner.time = string_at(entry, "time");
  owner.subresource = string_at(entry, "subresource");
  const std::string_view operation = string_at(entry, "operation");
  if (operation != "Apply" && operation != "Update") {
    return Error(Code::kInvalid, "operation must be `Apply` or `Update`");
  }
  owner.applies = operation == "Apply";
  if (owner.api_version.empty()) return Error(Code::kInvalid, "apiVersion must not be empty");
  if (string_at(entry, "fieldsType") != "FieldsV1") {
    return Error(Code::kInvalid, "fieldsType must be FieldsV1");
  }
  owner.unread = &entry;
  return owner;
}

Json write_owner(const Owner& owner) {
  if (owner.unread != nullptr) return *owner.unread;
  JsonObject entry{{"manager", owner.manager},
                   {"operation", owner.applies ? "Apply" : "Update"},
                   {"apiVersion", owner.api_version}};
  if (!owner.time.empty()) entry["time"] = owner.time;
  entry["fieldsType"] = "FieldsV1";
  entry["fieldsV1"] = owner.fields.to_json();
  if (!owner.subresource.empty()) entry["subresource"] = owner.subresource;
  return entry;
}

bool is_identity_before(const Owner& a, const Owner& b) {
  return a.identity() < b.identity();
}

/// The same owner again: its fields are added, its time and version are the newer ones.
void join(Owner& owner, Owner again) {
  owner.read_fields();
  again.read_fields();
  owner.fields.add(std::move(again.fields));
  owner.time = std::move(again.time);
  owner.api_version = std::move(again.api_version);
}

bool is_listed_before(const Owner* a, const Owner* b) {
  const auto rank = [](const Owner* owner) {
    return std::tuple(!owner->applies, seconds_of(*owner), std::string_view(owner->manager),
                      std::string_view(owner->api_version), std::string_view(owner->subresource));
  };
  return rank(a) < rank(b);
}

FieldSet untracked_fields() {
  const auto metadata = PathElement::field("metadata");
  FieldSet set;
  for (const char* name : {"apiVersion", "kind", "metadata"}) {
    set.insert({PathElement::field(name)});
  }
  for (const char* name : {"name", "namespace", "creationTimestamp", "selfLink", "uid",
                           "clusterName", "generation", "managedFields", "resourceVersion"}) {
    set.insert({metadata, PathElement::field(name)});
  }
  return set;
}

}  // namespace

void Owner::read_fields() {
  if (unread == nullptr) return;
  fields = fields_of_entry(*unread).value_or({});
  unread = nullptr;
}

bool Owner::may_own_any_of(const FieldSet& some) const {
  if (unread == nullptr) return true;
  const Json* fields_v1 = trainyard::find(*unread, "fieldsV1");
  return fields_v1 != nullptr && may_contain(*fields_v1, some);
}

Result<Owners> Owners::read(const Json& object) {
  return read_entries(object, true);
}

Result<Owners> Owners::of_stored(const Json& object) {
  return read_entries(object, false);
}

Result<Owners> Owners::read_entries(const Json& object, bool with_fields) {
  Owners owners;
  for (const Json& entry : array_at(object, "metadata.managedFields")) {
    TRY(Owner owner, read_owner(entry));
    if (with_fields) {
      TRY(owner.fields, fields_of_entry(entry));
      owner.unread = nullptr;
    }
    owners.owners_.push_back(std::move(owner));
  }
  owners.settle(Same::kLastCounts);
  return owners;
}

void Owners::settle(Same same) {
  std::vector<Owner*> sorted;  // those of one identity as they stand
  for (Owner& owner : owners_) sorted.push_back(&owner);
  std::sort(sorted.begin(), sorted.end(), [](const Owner* a, const Owner* b) {
    return std::tuple(a->identity(), a) < std::tuple(b->identity(), b);
  });
  std::vector<Owner> distinct;
  distinct.reserve(owners_.size());
  for (Owner* owner : sorted) {
    if (distinct.empty() || !distinct.back().is_same_as(*owner)) {
      distinct.push_back(std::move(*owner));
    } else if (same == Same::kLastCounts) {
      distinct.back() = std::move(*owner);
    } else {
      join(distinct.back(), std::move(*owner));
    }
  }
  owners_ = std::move(distinct);
}

void Owners::write(Json& object) const {
  Json* metadata = trainyard::find(object, "metadata");
  if (owners_.empty()) {
    if (metadata == nullptr || !metadata->is_object()) return;
    JsonObject& fields = metadata->get_object();
    if (const auto at = fields.find("managedFields"); at != fields.end()) fields.stable_erase(at);
    return;
  }
  std::vector<const Owner*> sorted;
  for (const Owner& owner : owners_) sorted.push_back(&owner);
  std::sort(sorted.begin(), sorted.end(), is_listed_before);
  JsonArray entries;
  entries.reserve(sorted.size());
  for (const Owner* owner : sorted) entries.push_back(write_owner(*owner));
  make_path(object, "metadata.managedFields") = std::move(entries);
}

Owner* Owners::find(const Owner& same) {
  const auto found = std::lower_bound(owners_.begin(), owners_.end(), same, is_identity_before);
  return found == owners_.end() || !found->is_same_as(same) ? nullptr : &*found;
}

void Owners::add(Owner owner) {
  if (Owner* same = find(owner)) {
    join(*same, std::move(owner));
    return;
  }
  owners_.insert(std::lower_bound(owners_.begin(), owners_.end(), owner, is_identity_before),
                 std::move(owner));
}

void Owners::remove_empty() {
  std::erase_if(owners_,
                [](const Owner& owner) { return owner.unread == nullptr && owner.fields.empty(); });
}

void Owners::merge_ancient() {
  const auto is_updater = [](const Owner& owner) { return !owner.applies; };
  auto count = std::count_if(owners_.begin(), owners_.end(), is_updater);
  if (count <= kMostUpdaters) return;
  std::vector<Owner> all = std::move(owners_);
  owners_.clear();
  for (Owner& owner : all) owner.read_fields();
  std::sort(all.begin(), all.end(), [](const Owner& a, const Owner& b) {
    return std::tuple(seconds_of(a), a.identity()) < std::tuple(seconds_of(b), b.identity());
  });
  // Versions are merged each by itself: the oldest owner of a version waits for the next one.
  std::map<std::string, Owner> oldest;
  for (Owner& owner : all) {
    const auto first = oldest.find(owner.api_version);
    if (owner.applies || count <= kMostUpdaters) {
      owners_.push_back(std::move(owner));
    } else if (first == oldest.end()) {
      const std::string version = owner.api_version;
      oldest.emplace(version, std::move(owner));
    } else {
      first->second.manager = "ancient-changes";
      first->second.subresource.clear();
      first->second.time = owner.time;
      first->second.fields.add(std::move(owner.fields));
      --count;
    }
  }
  for (auto& [version, owner] : oldest) owners_.push_back(std::move(owner));
  settle(Same::kJoin);
}

Owner owner_for(const FieldManager& manager, bool applies) {
  Owner owner;
  owner.manager = manager.name.empty() ? "unknown" : manager.name;
  owner.applies = applies;
  owner.api_version = manager.api_version;
  owner.time = manager.time;
  owner.subresource = manager.subresource;
  return owner;
}

void strip_metadata(FieldSet& fields) {
  static const FieldSet kUntracked = untracked_fields();
  fields.remove(kUntracked);
}

void track_changes(Owners& owners, const Json& before, const Json& after, const Schema& schema,
                   const FieldManager& manager) {
  FieldChanges changes = compare_fields(before, after, &schema);
  FieldSet gained = std::move(changes.modified);
  gained.add(std::move(changes.added));
  for (Owner& owner : owners.all()) {
    if (!owner.may_own_any_of(gained) && !owner.may_own_any_of(changes.removed)) continue;
    owner.read_fields();
    owner.fields = fitted_to(owner.fields, &schema);
    owner.fields.remove(gained);
    owner.fields.remove(changes.removed);
  }
  owners.remove_empty();
  Owner self = owner_for(manager, false);
  self.fields = std::move(gained);
  strip_metadata(self.fields);
  if (!self.fields.empty()) owners.add(std::move(self));
  owners.merge_ancient();
}

}  // namespace trainyard
