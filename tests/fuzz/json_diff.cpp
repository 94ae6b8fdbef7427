#include "json_diff.h"

#include "object/apply/field_shape.h"

#include <algorithm>
#include <set>

namespace trainyard::fuzz {
namespace {

template <class Predicate>
bool any_member(const Json& value, const Predicate& is_wanted) {
  if (value.is_array()) {
    return std::any_of(value.get_array().begin(), value.get_array().end(),
                       [&](const Json& element) { return any_member(element, is_wanted); });
  }
  if (!value.is_object()) return false;
  return std::any_of(value.get_object().begin(), value.get_object().end(), [&](const auto& member) {
    return is_wanted(member) || any_member(member.value(), is_wanted);
  });
}

std::string step_to(const std::string& pointer, std::string_view name) {
  std::string out = pointer + "/";
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

JsonObject operation(std::string_view name, const std::string& path) {
  return {{"op", name}, {"path", path}};
}

void put(std::string_view name, const std::string& path, const Json& value, JsonArray& operations) {
  JsonObject step = operation(name, path);
  step["value"] = value;
  operations.push_back(std::move(step));
}

void object_operations(const JsonObject& before, const JsonObject& after,
                       const std::string& pointer, JsonArray& operations) {
  for (const auto& member : before) {
    if (after.contains(member.key())) continue;
    operations.push_back(operation("remove", step_to(pointer, key_of_member(member))));
  }
  for (const auto& member : after) {
    const std::string path = step_to(pointer, key_of_member(member));
    if (const Json* old = before.if_contains(member.key())) {
      json_patch_between(*old, member.value(), path, operations);
    } else {
      put("add", path, member.value(), operations);
    }
  }
}

void array_operations(const JsonArray& before, const JsonArray& after, const std::string& pointer,
                      JsonArray& operations) {
  const std::size_t common = std::min(before.size(), after.size());
  for (std::size_t i = 0; i < common; ++i) {
    json_patch_between(before[i], after[i], step_to(pointer, std::to_string(i)), operations);
  }
  for (std::size_t i = before.size(); i > common; --i) {
    operations.push_back(operation("remove", step_to(pointer, std::to_string(i - 1))));
  }
  for (std::size_t i = common; i < after.size(); ++i) {
    put("add", pointer + "/-", after[i], operations);
  }
}

Error unreachable_value() {
  return Error(Code::kInvalid, "elements that cannot be told apart");
}

/// The elements' keys or, without a key, the elements themselves.
Result<> check_distinct(const JsonArray& list, const std::string& key) {
  std::set<PathElement> seen;
  for (const Json& element : list) {
    const Json* id = &element;
    if (!key.empty()) id = element.is_object() ? element.get_object().if_contains(key) : nullptr;
    if (id == nullptr || !seen.insert(PathElement::value(*id)).second) return unreachable_value();
  }
  return Ok();
}

Result<> add_list(const Json& before, const JsonArray& after, std::string_view name,
                  const Schema& schema, JsonObject& patch) {
  TRY_OK(check_distinct(after, schema.merge_key()));
  if (schema.merge_key().empty()) {
    if (before.is_array()) patch["$deleteFromPrimitiveList/" + std::string(name)] = before;
    patch[name] = after;
    return Ok();
  }
  for (const Json& element : after) {  // lists in there need their keys too
    TRY_OK(strategic_patch_between(Json(), element, schema.items()));
  }
  JsonArray elements{{{"$patch", "replace"}}};
  elements.insert(elements.end(), after.begin(), after.end());
  patch[name] = std::move(elements);
  return Ok();
}

Result<> add_member(const Json& before, const Json& after, std::string_view name,
                    const Schema* schema, JsonObject& patch) {
  const bool merges =
      schema != nullptr &&
      (schema->merges_values() || (!schema->merge_key().empty() && schema->items() != nullptr));
  if (after.is_array() && merges) return add_list(before, after.get_array(), name, *schema, patch);
  if (after.is_object()) {
    TRY(patch[name], strategic_patch_between(before, after, schema));
  } else {
    patch[name] = after;
  }
  return Ok();
}

}  // namespace

bool has_null_member(const Json& value) {
  return any_member(value, [](const auto& member) { return member.value().is_null(); });
}

bool has_directive(const Json& value) {
  return any_member(value, [](const auto& member) { return member.key().starts_with('$'); });
}

Json merge_patch_between(const Json& before, const Json& after) {
  if (!before.is_object() || !after.is_object()) return after;
  JsonObject patch;
  for (const auto& member : before.get_object()) {
    if (!after.get_object().contains(member.key())) patch[member.key()] = nullptr;
  }
  for (const auto& member : after.get_object()) {
    const Json* old = before.get_object().if_contains(member.key());
    patch[member.key()] =
        old == nullptr ? member.value() : merge_patch_between(*old, member.value());
  }
  return patch;
}

void json_patch_between(const Json& before, const Json& after, const std::string& pointer,
                        JsonArray& operations) {
  if (before.is_object() && after.is_object()) {
    object_operations(before.get_object(), after.get_object(), pointer, operations);
  } else if (before.is_array() && after.is_array()) {
    array_operations(before.get_array(), after.get_array(), pointer, operations);
  } else {
    put("replace", pointer, after, operations);
  }
}

Result<Json> strategic_patch_between(const Json& before, const Json& after, const Schema* schema) {
  static const Json kNothing;
  static const JsonObject kEmpty;
  const JsonObject& old_members = before.is_object() ? before.get_object() : kEmpty;
  JsonObject patch;
  for (const auto& member : old_members) {
    if (!after.get_object().contains(member.key())) patch[member.key()] = nullptr;
  }
  for (const auto& member : after.get_object()) {
    const Json* old = old_members.if_contains(member.key());
    const std::string_view name = key_of_member(member);
    TRY_OK(add_member(old == nullptr ? kNothing : *old, member.value(), name,
                      schema_of_member(schema, name), patch));
  }
  return Json(std::move(patch));
}

}  // namespace trainyard::fuzz
