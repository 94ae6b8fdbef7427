#include "object/schema.h"

#include "base/clock.h"
#include "object/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace trainyard {
namespace {

std::string join_path(const std::string& path, std::string_view field) {
  if (path.empty()) return std::string(field);
  // Keys with dots (labels, annotations) are written as Kubernetes does: labels[a.b/c].
  if (field.find('.') != std::string_view::npos) return fmt::format("{}[{}]", path, field);
  return fmt::format("{}.{}", path, field);
}

std::string shown(const Json& value) {
  std::string text = to_text(value);
  constexpr std::size_t kMost = 80;
  if (text.size() > kMost) {
    std::size_t end = kMost;
    while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
    text = text.substr(0, end) + "…";
  }
  return text;
}

FieldError invalid(const std::string& path, const Json& value, const std::string& rule) {
  return {path, fmt::format("Invalid value: {}: {}", shown(value), rule), "FieldValueInvalid"};
}

std::string_view type_name(Schema::Type type) {
  switch (type) {
    case Schema::Type::kAny:
      return "any";
    case Schema::Type::kObject:
      return "object";
    case Schema::Type::kArray:
      return "array";
    case Schema::Type::kString:
      return "string";
    case Schema::Type::kInteger:
      return "integer";
    case Schema::Type::kNumber:
      return "number";
    case Schema::Type::kBoolean:
      return "boolean";
  }
  return "any";
}

std::string_view type_name(const Json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "boolean";
  if (value.is_double()) return "number";
  if (value.is_null()) return "null";
  return "integer";
}

bool is_whole(const Json& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::floor(value.get_double()) == value.get_double();
}

bool has_type(const Json& value, Schema::Type type) {
  switch (type) {
    case Schema::Type::kAny:
      return true;
    case Schema::Type::kObject:
      return value.is_object();
    case Schema::Type::kArray:
      return value.is_array();
    case Schema::Type::kString:
      return value.is_string();
    case Schema::Type::kInteger:
      return is_whole(value);
    case Schema::Type::kNumber:
      return value.is_number();
    case Schema::Type::kBoolean:
      return value.is_bool();
  }
  return false;
}

std::optional<Schema::Type> parse_type(std::string_view name) {
  using Type = Schema::Type;
  for (const Type type : {Type::kObject, Type::kArray, Type::kString, Type::kInteger, Type::kNumber,
                          Type::kBoolean}) {
    if (name == type_name(type)) return type;
  }
  return name.empty() ? std::optional(Type::kAny) : std::nullopt;
}

std::optional<double> number_at(const Json& schema, std::string_view field) {
  const Json* value = find(schema, field);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

Result<> append_names(const JsonArray& names, std::vector<std::string>& target) {
  for (const Json& name : names) {
    if (!name.is_string()) return Error(Code::kInternal, "not a field's name: " + shown(name));
    target.push_back(to_string(name.get_string()));
  }
  return Ok();
}

std::optional<std::int64_t> whole_at(const Json& schema, std::string_view field) {
  const Json* value = find(schema, field);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

}  // namespace

Result<std::shared_ptr<const Schema>> Schema::compile(
    const Json& schema, const std::map<std::string, std::shared_ptr<const Schema>>& shared) {
  Children by_name(shared.begin(), shared.end());
  auto compiled = std::make_shared<Schema>();
  TRY_OK(compiled->read_structure(schema, by_name));
  return std::shared_ptr<const Schema>(std::move(compiled));
}

Result<> Schema::read_structure(const Json& schema, const Children& shared) {
  const auto type = parse_type(string_at(schema, "type"));
  if (!type) return Error(Code::kInternal, "unknown schema type " + shown(schema));
  type_ = *type;
  if (const std::string_view name = string_at(schema, "x-trainyard-type"); !name.empty()) {
    const auto found = shared.find(name);
    if (found == shared.end()) {
      return Error(Code::kInternal, fmt::format("x-trainyard-type {} is not in api/types", name));
    }
    *this = *found->second;
  }
  const std::map<std::string, std::shared_ptr<const Schema>> same(shared.begin(), shared.end());
  for (const auto& property : object_at(schema, "properties")) {
    auto child = compile(property.value(), same);
    if (!child) return std::move(child).error().within(std::string(property.key()));
    properties_[std::string(property.key())] = *std::move(child);
  }
  if (const Json* additional = find(schema, "additionalProperties")) {
    if (additional->is_object()) {
      TRY(additional_, compile(*additional, same));
    } else if (additional->is_bool() && additional->get_bool()) {
      keeps_unknown_ = true;
    }
  }
  if (const Json* items = find(schema, "items")) {
    TRY(items_, compile(*items, same));
  }
  return read_rules(schema, shared);
}

Result<> Schema::read_rules(const Json& schema, const Children&) {
  const auto flag = [&](std::string_view name, bool& target) {
    if (find(schema, name) != nullptr) target = bool_at(schema, name);
  };
  flag("nullable", nullable_);
  flag("x-kubernetes-int-or-string", int_or_string_);
  flag("x-kubernetes-preserve-unknown-fields", keeps_unknown_);
  flag("x-kubernetes-embedded-resource", embedded_resource_);
  if (const std::string_view text = string_at(schema, "description"); !text.empty()) {
    description_ = text;
  }
  if (const std::string_view text = string_at(schema, "format"); !text.empty()) format_ = text;
  TRY_OK(append_names(array_at(schema, "required"), required_));
  for (const Json& value : array_at(schema, "enum")) allowed_.push_back(value);
  if (const Json* value = find(schema, "default")) default_ = *value;
  if (auto value = number_at(schema, "minimum")) minimum_ = value;
  if (auto value = number_at(schema, "maximum")) maximum_ = value;
  if (auto value = whole_at(schema, "minLength")) min_length_ = value;
  if (auto value = whole_at(schema, "maxLength")) max_length_ = value;
  if (auto value = whole_at(schema, "minItems")) min_items_ = value;
  if (auto value = whole_at(schema, "maxItems")) max_items_ = value;
  TRY_OK(append_names(array_at(schema, "x-kubernetes-list-map-keys"), map_keys_));
  merges_values_ = string_at(schema, "x-kubernetes-patch-strategy") == "merge";
  merge_key_ = string_at(schema, "x-kubernetes-patch-merge-key");
  if (merge_key_.empty() && !map_keys_.empty()) merge_key_ = map_keys_.front();
  if (const std::string_view text = string_at(schema, "pattern"); !text.empty()) {
    auto pattern = Pattern::compile(std::string(text));
    if (!pattern) {
      return Error(Code::kInternal, fmt::format("pattern {}: {}", text, pattern.error().message()));
    }
    pattern_ = *std::move(pattern);
  }
  return Ok();
}

const Schema* Schema::property(std::string_view name) const {
  if (const auto found = properties_.find(name); found != properties_.end()) {
    return found->second.get();
  }
  return additional_.get();
}

void Schema::apply_defaults(Json& value) const {
  if (value.is_object()) {
    JsonObject& object = value.get_object();
    for (const auto& [name, child] : properties_) {
      const Json* member = object.if_contains(name);
      const bool unset = member == nullptr || (member->is_null() && !child->nullable_);
      if (unset && child->default_) object[name] = *child->default_;
    }
    for (std::size_t i = 0; i < object.size();) {
      const auto member = object.begin() + static_cast<std::ptrdiff_t>(i);
      const Schema* child = property(member->key());
      if (child != nullptr && member->value().is_null() && !child->nullable_) {
        object.stable_erase(member);  // as if the user had left it out
        continue;
      }
      if (child != nullptr) child->apply_defaults(member->value());
      ++i;
    }
  } else if (value.is_array() && items_) {
    for (Json& element : value.get_array()) items_->apply_defaults(element);
  }
}

std::vector<std::string> Schema::prune(Json& value) const {
  std::vector<std::string> removed;
  prune_at(value, "", removed);
  return removed;
}

void Schema::prune_at(Json& value, const std::string& path,
                      std::vector<std::string>& removed) const {
  if (value.is_array() && items_) {
    std::size_t index = 0;
    for (Json& element : value.get_array()) {
      items_->prune_at(element, fmt::format("{}[{}]", path, index++), removed);
    }
    return;
  }
  if (!value.is_object() || type_ != Type::kObject) return;
  JsonObject& object = value.get_object();
  std::vector<std::string> unknown;
  for (auto& member : object) {
    const std::string_view name(member.key().data(), member.key().size());
    if (const Schema* child = property(name)) {
      child->prune_at(member.value(), join_path(path, name), removed);
    } else if (!keeps_unknown_ && !(embedded_resource_ && (name == "apiVersion" || name == "kind" ||
                                                           name == "metadata"))) {
      unknown.emplace_back(name);
    }
  }
  for (const std::string& name : unknown) {
    removed.push_back(join_path(path, name));
    object.stable_erase(object.find(name));
  }
}

std::vector<FieldError> Schema::validate(const Json& value) const {
  std::vector<FieldError> errors;
  validate_at(value, "", errors);
  return errors;
}

void Schema::validate_at(const Json& value, const std::string& path,
                         std::vector<FieldError>& errors) const {
  if (value.is_null() && nullable_) return;
  if (!check_type(value, path, errors)) return;
  if (!allowed_.empty() && std::find(allowed_.begin(), allowed_.end(), value) == allowed_.end()) {
    std::string list;
    for (const Json& one : allowed_) list += (list.empty() ? "" : ", ") + to_text(one);
    errors.push_back(
        {path, fmt::format("Unsupported value: {}: supported values: {}", shown(value), list),
         "FieldValueNotSupported"});
    return;
  }
  if (format_ == "quantity") {
    if (auto parsed = Quantity::parse(value); !parsed) {
      errors.push_back(invalid(path, value, parsed.error().message()));
    }
  } else if (value.is_number()) {
    check_number(value, path, errors);
  } else if (value.is_string()) {
    check_string(value, path, errors);
  } else if (value.is_array()) {
    check_array(value, path, errors);
  } else if (value.is_object()) {
    check_object(value, path, errors);
  }
}

bool Schema::check_type(const Json& value, const std::string& path,
                        std::vector<FieldError>& errors) const {
  const bool fits = int_or_string_          ? is_whole(value) || value.is_string()
                    : format_ == "quantity" ? value.is_number() || value.is_string()
                                            : has_type(value, type_);
  if (fits) return true;
  errors.push_back(
      {path,
       fmt::format("Invalid value: {}: must be of type {}, and is {}", shown(value),
                   int_or_string_ ? "integer or string" : type_name(type_), type_name(value)),
       "FieldValueTypeInvalid"});
  return false;
}

void Schema::check_number(const Json& value, const std::string& path,
                          std::vector<FieldError>& errors) const {
  const double number = value.to_number<double>();
  if (minimum_ && number < *minimum_) {
    errors.push_back(
        invalid(path, value, fmt::format("must be greater than or equal to {}", *minimum_)));
  }
  if (maximum_ && number > *maximum_) {
    errors.push_back(
        invalid(path, value, fmt::format("must be less than or equal to {}", *maximum_)));
  }
  if (format_ == "int32" && (number < -2147483648.0 || number > 2147483647.0)) {
    errors.push_back(invalid(path, value, "must fit into 32 bits"));
  }
}

void Schema::check_string(const Json& value, const std::string& path,
                          std::vector<FieldError>& errors) const {
  const std::string_view text(value.get_string().data(), value.get_string().size());
  const auto length = static_cast<std::int64_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
  if (min_length_ && length < *min_length_) {
    errors.push_back(
        invalid(path, value, fmt::format("must be at least {} characters long", *min_length_)));
  }
  if (max_length_ && length > *max_length_) {
    errors.push_back(
        invalid(path, value, fmt::format("must be at most {} characters long", *max_length_)));
  }
  if (pattern_ && !pattern_->occurs_in(text)) {
    errors.push_back(invalid(path, value, fmt::format("must match '{}'", pattern_->text())));
  }
  if (format_ == "date-time" && !parse_time(text)) {
    errors.push_back(invalid(path, value, "must be a time such as 2026-11-16T01:02:03Z"));
  }
}

void Schema::check_array(const Json& value, const std::string& path,
                         std::vector<FieldError>& errors) const {
  const JsonArray& array = value.get_array();
  const auto count = static_cast<std::int64_t>(array.size());
  if (min_items_ && count < *min_items_) {
    errors.push_back(invalid(path, value, fmt::format("must have at least {} items", *min_items_)));
  }
  if (max_items_ && count > *max_items_) {
    errors.push_back({path,
                      fmt::format("Too many: {}: must have at most {} items", count, *max_items_),
                      "FieldValueTooMany"});
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const std::string element_path = fmt::format("{}[{}]", path, i);
    if (items_) items_->validate_at(array[i], element_path, errors);
    if (map_keys_.empty() || !array[i].is_object()) continue;
    JsonObject identity;
    for (const std::string& key : map_keys_) {
      if (const Json* part = find(array[i], key)) identity[key] = *part;
    }
    if (!seen.insert(to_text(identity)).second) {
      errors.push_back({element_path, fmt::format("Duplicate value: {}", to_text(identity)),
                        "FieldValueDuplicate"});
    }
  }
}

void Schema::check_object(const Json& value, const std::string& path,
                          std::vector<FieldError>& errors) const {
  const JsonObject& object = value.get_object();
  for (const std::string& name : required_) {
    if (!object.contains(name)) {
      errors.push_back({join_path(path, name), "Required value", "FieldValueRequired"});
    }
  }
  for (const auto& member : object) {
    const std::string_view name(member.key().data(), member.key().size());
    if (const Schema* child = property(name)) {
      child->validate_at(member.value(), join_path(path, name), errors);
    }
  }
}

}  // namespace trainyard
