#include "object/schema/shared_types.h"

#include <algorithm>

namespace trainyard {
namespace {

bool contains(const JsonArray& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const Json& one) { return one.is_string() && one.get_string() == name; });
}

Json strip(const Json& schema, bool keeps_own, const JsonArray& keys_of_list);

JsonObject strip_properties(const JsonObject& properties, const JsonArray& keys_of_list) {
  JsonObject stripped;
  for (const auto& property : properties) {
    const std::string_view name(property.key().data(), property.key().size());
    stripped[name] = strip(property.value(), contains(keys_of_list, name), {});
  }
  return stripped;
}

/// `keeps_own`: the default of this very schema stays. `keys_of_list`: when the schema is that of a
/// list's elements, the fields that tell them apart.
Json strip(const Json& schema, bool keeps_own, const JsonArray& keys_of_list) {
  if (!schema.is_object()) return schema;
  JsonObject stripped;
  for (const auto& member : schema.get_object()) {
    const std::string_view name(member.key().data(), member.key().size());
    const Json& value = member.value();
    if (name == "default" && !keeps_own) continue;
    if (name == "properties" && value.is_object()) {
      stripped[name] = strip_properties(value.get_object(), keys_of_list);
    } else if (name == "items") {
      stripped[name] = strip(value, false, array_at(schema, "x-kubernetes-list-map-keys"));
    } else if (name == "additionalProperties") {
      stripped[name] = strip(value, false, {});
    } else {
      stripped[name] = value;
    }
  }
  return stripped;
}

}  // namespace

Json without_defaults(const Json& schema) {
  return strip(schema, false, {});
}

}  // namespace trainyard
