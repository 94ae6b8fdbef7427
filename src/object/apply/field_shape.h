#pragma once

#include "object/apply/field_set.h"
#include "object/schema/schema.h"

#include <vector>

namespace trainyard {

/// How a value is divided into fields. Internal to the functions of fields.h.
struct Shape {
  enum class Kind : std::uint8_t {
    kNothing,  // null, or no value: takes the other's shape where two are compared
    kLeaf,     // one field: plain values, and lists and maps that are replaced as a whole
    kMap,      // structs and maps
    kList,     // lists whose elements are told apart
  };

  Kind kind = Kind::kNothing;
  std::vector<PathElement> elements;  // of a list, one for each
};

Shape shape_of(const Json* value, const Schema* schema);

/// What tells an element of a keyed list or a set apart; kInvalid says why nothing does.
Result<PathElement> identity_of(const Json& element, const Schema& list);

inline const Schema* schema_of_member(const Schema* schema, std::string_view name) {
  return schema == nullptr ? nullptr : schema->property(name);
}

inline const Schema* schema_of_elements(const Schema* schema) {
  return schema == nullptr ? nullptr : schema->items();
}

inline std::string_view key_of_member(const JsonObject::value_type& member) {
  return {member.key().data(), member.key().size()};
}

}  // namespace trainyard
