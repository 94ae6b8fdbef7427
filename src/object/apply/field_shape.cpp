#include "object/apply/field_shape.h"

#include <fmt/format.h>

namespace trainyard {
namespace {

Error not_told_apart(std::string problem) {
  return Error(Code::kInvalid, std::move(problem));
}

/// The value of a key field: the element's, or the default when the element leaves it out.
const Json* key_value(const JsonObject& element, const std::string& key, const Schema* items) {
  if (const Json* value = element.if_contains(key)) return value;
  const Schema* field = schema_of_member(items, key);
  return field == nullptr ? nullptr : field->default_value();
}

Result<PathElement> identity_by_key(const Json& element, const Schema& list) {
  if (element.is_null()) {
    return not_told_apart("associative list with keys may not have a null element");
  }
  if (!element.is_object()) {
    return not_told_apart("associative list with keys may not have non-map elements");
  }
  std::vector<PathElement::Part> parts;
  for (const std::string& key : list.map_keys()) {
    const Json* value = key_value(element.get_object(), key, list.items());
    if (value == nullptr) {
      return not_told_apart(
          fmt::format("associative list with keys has an element that omits key field \"{}\" (and "
                      "doesn't have default value)",
                      key));
    }
    parts.push_back({key, value});
  }
  return PathElement::key(std::move(parts));
}

Result<PathElement> identity_by_value(const Json& element) {
  if (element.is_object()) {
    return not_told_apart("associative list without keys has an element that's a map type");
  }
  if (element.is_array()) {
    return not_told_apart("not supported: associative list with lists as elements");
  }
  if (element.is_null()) {
    return not_told_apart("associative list without keys has an element that's an explicit null");
  }
  return PathElement::value(element);
}

Shape shape_of_list(const JsonArray& list, const Schema* schema) {
  Shape shape{Shape::Kind::kLeaf, {}};
  if (schema == nullptr || schema->list_type() == Schema::ListType::kAtomic) return shape;
  std::vector<PathElement> elements;
  elements.reserve(list.size());
  for (const Json& element : list) {
    auto identity = identity_of(element, *schema);
    if (!identity) return shape;
    elements.push_back(*std::move(identity));
  }
  return {Shape::Kind::kList, std::move(elements)};
}

}  // namespace

Shape shape_of(const Json* value, const Schema* schema) {
  if (value == nullptr || value->is_null()) return {};
  if (value->is_array()) return shape_of_list(value->get_array(), schema);
  const bool divided = value->is_object() && (schema == nullptr || !schema->atomic_map());
  return {divided ? Shape::Kind::kMap : Shape::Kind::kLeaf, {}};
}

Result<PathElement> identity_of(const Json& element, const Schema& list) {
  return list.list_type() == Schema::ListType::kMap ? identity_by_key(element, list)
                                                    : identity_by_value(element);
}

}  // namespace trainyard
