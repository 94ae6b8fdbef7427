#include "object/apply/managed_fields.h"

#include "object/apply/fields.h"
#include "object/apply/ownership.h"
#include "object/values/metadata.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

/// managedFields: [] or [{}] asks to forget who owns what; null and nothing ask for nothing.
bool forgets_owners(const Json& object) {
  const Json* fields = find(object, "metadata.managedFields");
  if (fields == nullptr || !fields->is_array()) return false;
  const JsonArray& entries = fields->get_array();
  if (entries.size() > 1) return false;
  return std::all_of(entries.begin(), entries.end(), [](const Json& entry) {
    return entry.is_null() || (entry.is_object() && entry.get_object().empty());
  });
}

Owners stored_owners(const Json* object) {
  return object == nullptr ? Owners() : Owners::of_stored(*object).value_or({});
}

/// Who owned what before the change: what the request says, if it says something that can be read.
/// Most clients send back what they got or leave it out; neither must lose anything.
Owners owners_before(const Json& after, const Json* before, const FieldManager& manager) {
  const bool sent_back = before != nullptr && array_at(after, "metadata.managedFields") ==
                                                  array_at(*before, "metadata.managedFields");
  if (!manager.subresource.empty() || sent_back) return stored_owners(before);
  if (forgets_owners(after)) return {};
  auto asked = Owners::read(after);
  if (!asked || asked->empty()) return stored_owners(before);
  return *std::move(asked);
}

/// The entries of managedFields without their times, in the order of their owners.
std::vector<Json> timeless(const JsonArray& entries) {
  std::vector<Json> sorted(entries.begin(), entries.end());
  for (Json& entry : sorted) {
    if (entry.is_object()) entry.get_object().erase("time");
  }
  const auto owner = [](const Json& entry) {
    return std::tuple(string_at(entry, "manager"), string_at(entry, "operation"),
                      string_at(entry, "apiVersion"), string_at(entry, "subresource"));
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const Json& a, const Json& b) { return owner(a) < owner(b); });
  return sorted;
}

bool has_same_owners(const JsonArray& a, const JsonArray& b) {
  return a.size() == b.size() && timeless(a) == timeless(b);
}

}  // namespace

void track_update(Json& after, const Json* before, const Schema& schema,
                  const FieldManager& manager) {
  static const Json kNothing = JsonObject();
  Owners owners = owners_before(after, before, manager);
  Owners().write(after);  // the old notes are no field that anybody owns
  const bool exists = before != nullptr && !uid_of(*before).empty();
  if (owners.empty() && exists) return;
  track_changes(owners, before == nullptr ? kNothing : *before, after, schema, manager);
  owners.write(after);
}

void keep_times_when_unchanged(Json& after, const Json& before) {
  const JsonArray& now = array_at(after, "metadata.managedFields");
  const JsonArray& then = array_at(before, "metadata.managedFields");
  if (then.empty() || now == then || !has_same_owners(now, then)) return;
  Json candidate = after;
  make_path(candidate, "metadata.managedFields") = then;
  if (is_same_but_for_nulls(candidate, before)) after = std::move(candidate);
}

}  // namespace trainyard
