#pragma once

#include "object/apply/field_set.h"
#include "object/schema/schema.h"

namespace trainyard {

// What a value's fields are is up to its schema: structs and maps have fields of their own, lists
// have elements when a key or their values tell these apart, and everything else is one field.
// Where there is no schema (nullptr, or fields that a schema keeps without knowing them), objects
// have fields and lists are one, as Kubernetes deduces. A list whose elements cannot be told apart
// although they should be counts as one field, too.

/// Equal as numbers, not as texts: 1 and 1.0 are the same.
bool is_same_value(const Json& a, const Json& b);
/// The same, where a field that is null is as good as none.
bool is_same_but_for_nulls(const Json& a, const Json& b);

/// The fields that a configuration mentions. Structs on the way do not count themselves. An empty
/// list whose elements would be fields mentions none, unless asked to count itself.
enum class EmptyLists : std::uint8_t { kIgnore, kCount };
FieldSet fields_of(const Json& value, const Schema* schema,
                   EmptyLists empty_lists = EmptyLists::kIgnore);

/// What changed between two values; no field is in more than one of the sets. Structs and maps
/// that come or go count themselves, too.
struct FieldChanges {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;

  bool empty() const { return added.empty() && modified.empty() && removed.empty(); }
};
FieldChanges compare_fields(const Json& before, const Json& after, const Schema* schema);

/// The set together with the structs' fields that lead to its members.
FieldSet with_parents(const FieldSet& set, const Schema* schema);
/// The set as the schema sees it now: where a list or map has become one field, that field.
FieldSet fitted_to(const FieldSet& set, const Schema* schema);

/// `live` with everything that `configuration` says. Elements that both lists have follow the
/// order of the configuration's.
Json merge_fields(const Json& live, const Json& configuration, const Schema* schema);
/// The value without the fields of the set. Objects and lists that lose everything and are not in
/// the set themselves stay, empty, or are left out as well: as null where no schema says that null
/// means missing.
enum class Emptied : std::uint8_t { kStay, kLeaveOut };
Json without_fields(const Json& value, const FieldSet& gone, const Schema* schema,
                    Emptied emptied = Emptied::kStay);

/// What is wrong with a configuration, as "path: problem": fields that nobody declared, elements
/// without their key, elements that occur twice.
std::vector<std::string> check_fields(const Json& value, const Schema* schema);

}  // namespace trainyard
