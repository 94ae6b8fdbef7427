#include "object/schema/schema.h"

#include "object/schema/schema_rules.h"
#include "object/schema/shared_types.h"
#include "object/values/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trainyard {
namespace {

std::optional<Schema::Type> parse_type(std::string_view name) {
  using Type = Schema::Type;
  constexpr std::array<std::pair<std::string_view, Type>, 7> kTypes{{
      {"", Type::kAny},
      {"object", Type::kObject},
      {"array", Type::kArray},
      {"string", Type::kString},
      {"integer", Type::kInteger},
      {"number", Type::kNumber},
      {"boolean", Type::kBoolean},
  }};
  for (const auto& [text, type] : kTypes) {
    if (text == name) return type;
  }
  return std::nullopt;
}

Error wrong(std::string message) {
  return Error(Code::kInternal, std::move(message));
}

Result<> append_names(const JsonArray& names, std::vector<std::string>& target) {
  for (const Json& name : names) {
    if (!name.is_string()) return wrong("not a field's name: " + to_text(name));
    target.push_back(to_string(name.get_string()));
  }
  return Ok();
}

void read_number(const Json& schema, std::string_view field, std::optional<double>& target,
                 bool& found) {
  const Json* value = find(schema, field);
  if (value == nullptr || !value->is_number()) return;
  target = value->to_number<double>();
  found = true;
}

void read_count(const Json& schema, std::string_view field, std::optional<std::int64_t>& target,
                bool& found) {
  const Json* value = find(schema, field);
  if (value == nullptr || !value->is_int64()) return;
  target = value->get_int64();
  found = true;
}

void read_flag(const Json& schema, std::string_view field, bool& target) {
  if (find(schema, field) != nullptr) target = bool_at(schema, field);
}

bool comes_before(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

Result<std::shared_ptr<const Schema>> Schema::compile(const Json& schema, const Shared& shared) {
  auto compiled = std::make_shared<Schema>();
  TRY_OK(compiled->read(schema, shared));
  return std::shared_ptr<const Schema>(std::move(compiled));
}

Result<> Schema::read(const Json& schema, const Shared& shared) {
  if (!schema.is_object()) return wrong("not a schema: " + to_text(schema));
  const auto type = parse_type(string_at(schema, "type"));
  if (!type) return wrong("unknown schema type " + to_text(*find(schema, "type")));
  if (const std::string name(string_at(schema, kSharedTypeKey)); !name.empty()) {
    const auto found = shared.find(name);
    if (found == shared.end()) return wrong("x-trainyard-type " + name + " is not in api/types");
    *this = *found->second;
  }
  if (*type != Type::kAny) type_ = *type;
  read_flags(schema);
  TRY_OK(read_children(schema, shared));
  TRY_OK(read_lists(schema));
  TRY_OK(append_names(array_at(schema, "required"), required_));
  if (const Json* value = find(schema, "default"); value != nullptr && !value->is_null()) {
    default_ = *value;
    has_defaults_ = true;
  }
  Rules rules = rules_ ? *rules_ : Rules();
  bool found = false;
  TRY_OK(rules.read(schema, shared, found));
  if (found) rules_ = std::make_shared<const Rules>(std::move(rules));
  return Ok();
}

void Schema::read_flags(const Json& schema) {
  read_flag(schema, "nullable", nullable_);
  read_flag(schema, "x-kubernetes-int-or-string", int_or_string_);
  read_flag(schema, "x-kubernetes-preserve-unknown-fields", keeps_unknown_);
  read_flag(schema, "x-kubernetes-embedded-resource", embedded_resource_);
  if (const std::string_view text = string_at(schema, "description"); !text.empty()) {
    description_ = text;
  }
  if (const std::string_view name = string_at(schema, "format"); !name.empty()) {
    format_name_ = name;
    format_ = find_format(name);
    quantity_ = name == "quantity";
  }
  if (!array_at(schema, "x-kubernetes-validations").empty()) has_unevaluated_rules_ = true;
}

void Schema::note_what_is_below(const Schema& child) {
  has_unevaluated_rules_ = has_unevaluated_rules_ || child.has_unevaluated_rules_;
  has_defaults_ = has_defaults_ || child.has_defaults_;
}

Result<> Schema::read_children(const Json& schema, const Shared& shared) {
  for (const auto& property : object_at(schema, "properties")) {
    const std::string name(property.key());
    auto child = compile(property.value(), shared);
    if (!child) return std::move(child).error().within(name);
    set_property(name, *std::move(child));
  }
  if (const Json* additional = find(schema, "additionalProperties")) {
    TRY_OK(read_additional(*additional, shared));
  }
  if (const Json* items = find(schema, "items")) {
    TRY(items_, compile(*items, shared));
    note_what_is_below(*items_);
  }
  return Ok();
}

Result<> Schema::read_additional(const Json& additional, const Shared& shared) {
  if (additional.is_bool()) {
    allows_additional_ = additional.get_bool();
    forbids_additional_ = !additional.get_bool();
    if (allows_additional_) keeps_unknown_ = true;
    return Ok();
  }
  TRY(additional_, compile(additional, shared));
  note_what_is_below(*additional_);
  return Ok();
}

void Schema::set_property(std::string name, std::shared_ptr<const Schema> schema) {
  note_what_is_below(*schema);
  const auto place = std::lower_bound(
      properties_.begin(), properties_.end(), name,
      [](const Property& one, const std::string& other) { return comes_before(one.name, other); });
  if (place != properties_.end() && place->name == name) {
    place->schema = std::move(schema);
  } else {
    properties_.insert(place, Property{std::move(name), std::move(schema)});
  }
}

Result<> Schema::read_lists(const Json& schema) {
  std::vector<std::string> keys;
  TRY_OK(append_names(array_at(schema, "x-kubernetes-list-map-keys"), keys));
  const std::string merge_key(string_at(schema, "x-kubernetes-patch-merge-key"));
  const std::string_view strategy = string_at(schema, "x-kubernetes-patch-strategy");
  const std::string_view type = string_at(schema, "x-kubernetes-list-type");
  const bool plain_values = items_ == nullptr || items_->type_ != Type::kObject;
  if (!merge_key.empty() || !keys.empty()) {
    merge_key_ = merge_key.empty() ? keys.front() : merge_key;
    map_keys_ = keys.empty() ? std::vector<std::string>{merge_key} : std::move(keys);
    list_type_ = ListType::kMap;
  } else if (type == "set" || (strategy == "merge" && plain_values)) {
    list_type_ = ListType::kSet;
  }
  if (type == "atomic") list_type_ = ListType::kAtomic;
  if (!strategy.empty()) merges_values_ = strategy == "merge";
  if (!type.empty()) elements_differ_ = type == "set" || type == "map";
  if (const std::string_view map = string_at(schema, "x-kubernetes-map-type"); !map.empty()) {
    atomic_map_ = map == "atomic";
  }
  return Ok();
}

Result<> Schema::Rules::read(const Json& schema, const Shared& shared, bool& found) {
  read_count(schema, "minLength", min_length, found);
  read_count(schema, "maxLength", max_length, found);
  read_count(schema, "minItems", min_items, found);
  read_count(schema, "maxItems", max_items, found);
  read_count(schema, "minProperties", min_properties, found);
  read_count(schema, "maxProperties", max_properties, found);
  read_number(schema, "minimum", minimum, found);
  read_number(schema, "maximum", maximum, found);
  read_number(schema, "multipleOf", multiple_of, found);
  read_flag(schema, "exclusiveMinimum", exclusive_minimum);
  read_flag(schema, "exclusiveMaximum", exclusive_maximum);
  if (bool_at(schema, "uniqueItems")) found = unique_items = true;
  if (string_at(schema, "format") == "int32") found = int32 = true;
  if (const JsonArray& values = array_at(schema, "enum"); !values.empty()) {
    allowed.assign(values.begin(), values.end());
    found = true;
  }
  if (const std::string_view text = string_at(schema, "pattern"); !text.empty()) {
    auto compiled = Pattern::compile(std::string(text));
    if (!compiled) return wrong(fmt::format("pattern {}: {}", text, compiled.error().message()));
    pattern = *std::move(compiled);
    found = true;
  }
  return read_combinations(schema, shared, found);
}

Result<> Schema::Rules::read_combinations(const Json& schema, const Shared& shared, bool& found) {
  const auto read_all = [&](std::string_view field,
                            std::vector<std::shared_ptr<const Schema>>& target) -> Result<> {
    for (const Json& one : array_at(schema, field)) {
      auto compiled = compile(one, shared);
      if (!compiled) return std::move(compiled).error().within(std::string(field));
      target.push_back(*std::move(compiled));
      found = true;
    }
    return Ok();
  };
  TRY_OK(read_all("allOf", all_of));
  TRY_OK(read_all("anyOf", any_of));
  TRY_OK(read_all("oneOf", one_of));
  if (const Json* refused = find(schema, "not")) {
    TRY(none_of, compile(*refused, shared));
    found = true;
  }
  return Ok();
}

const Schema* Schema::own_property(std::string_view name) const {
  const auto place = std::lower_bound(
      properties_.begin(), properties_.end(), name,
      [](const Property& one, std::string_view other) { return comes_before(one.name, other); });
  return place != properties_.end() && place->name == name ? place->schema.get() : nullptr;
}

const Schema* Schema::property(std::string_view name) const {
  const Schema* own = own_property(name);
  return own != nullptr ? own : additional_.get();
}

}  // namespace trainyard
