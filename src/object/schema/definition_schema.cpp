#include "object/schema/definition_schema.h"

#include "object/schema/schema.h"
#include "object/values/field_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainyard::definition_schema {
namespace {

namespace fe = field_errors;

enum class Kind : std::uint8_t {
  kAny,
  kText,
  kNumber,
  kInteger,
  kFlag,
  kList,
  kTexts,
  kSchema,
  kSchemas,
  kSchemaMap,
  kSchemaOrFlag,
  kSchemaOrList
};

struct Keyword {
  std::string_view name;
  Kind kind;
  bool at_root_with_status =
      true;  // status is validated by itself, so the root must not speak of it
};

constexpr std::array<Keyword, 44> kKeywords{{
    {"id", Kind::kText, false},
    {"$schema", Kind::kText, false},
    {"$ref", Kind::kText, false},
    {"description", Kind::kText},
    {"type", Kind::kText},
    {"format", Kind::kText},
    {"title", Kind::kText},
    {"default", Kind::kAny, false},
    {"maximum", Kind::kNumber},
    {"exclusiveMaximum", Kind::kFlag},
    {"minimum", Kind::kNumber},
    {"exclusiveMinimum", Kind::kFlag},
    {"maxLength", Kind::kInteger},
    {"minLength", Kind::kInteger},
    {"pattern", Kind::kText},
    {"maxItems", Kind::kInteger},
    {"minItems", Kind::kInteger},
    {"uniqueItems", Kind::kFlag},
    {"multipleOf", Kind::kNumber},
    {"enum", Kind::kList, false},
    {"maxProperties", Kind::kInteger, false},
    {"minProperties", Kind::kInteger, false},
    {"required", Kind::kTexts},
    {"items", Kind::kSchemaOrList},
    {"allOf", Kind::kSchemas, false},
    {"oneOf", Kind::kSchemas, false},
    {"anyOf", Kind::kSchemas, false},
    {"not", Kind::kSchema, false},
    {"properties", Kind::kSchemaMap},
    {"additionalProperties", Kind::kSchemaOrFlag, false},
    {"patternProperties", Kind::kSchemaMap, false},
    {"dependencies", Kind::kAny, false},
    {"additionalItems", Kind::kSchemaOrFlag, false},
    {"definitions", Kind::kSchemaMap, false},
    {"externalDocs", Kind::kAny},
    {"example", Kind::kAny},
    {"nullable", Kind::kFlag, false},
    {"x-kubernetes-preserve-unknown-fields", Kind::kFlag},
    {"x-kubernetes-embedded-resource", Kind::kFlag, false},
    {"x-kubernetes-int-or-string", Kind::kFlag, false},
    {"x-kubernetes-list-map-keys", Kind::kTexts, false},
    {"x-kubernetes-list-type", Kind::kText, false},
    {"x-kubernetes-map-type", Kind::kText, false},
    {"x-kubernetes-validations", Kind::kList},
}};

const Keyword* find_keyword(std::string_view name) {
  const auto found = std::find_if(kKeywords.begin(), kKeywords.end(),
                                  [&](const Keyword& one) { return one.name == name; });
  return found == kKeywords.end() ? nullptr : &*found;
}

bool require(const Json& value, bool fits, std::string_view expected, const FieldPath& path,
             Errors& errors) {
  if (!fits) errors.push_back(fe::wrong_type(path.text(), expected, fe::type_name(value)));
  return fits;
}

bool check_elements(const Json& value, Kind kind, const FieldPath& path, Errors& errors) {
  if (!require(value, value.is_array(), "array", path, errors)) return false;
  bool good = true;
  std::size_t index = 0;
  for (const Json& element : value.get_array()) {
    const FieldPath at = path.index(index++);
    good = (kind == Kind::kTexts ? require(element, element.is_string(), "string", at, errors)
                                 : check_keyword_types(element, at, errors)) &&
           good;
  }
  return good;
}

bool check_map(const Json& value, const FieldPath& path, Errors& errors) {
  if (!require(value, value.is_object(), "object", path, errors)) return false;
  bool good = true;
  for (const auto& member : value.get_object()) {
    good = check_keyword_types(member.value(), path.key(member.key()), errors) && good;
  }
  return good;
}

bool check_value(const Json& value, Kind kind, const FieldPath& path, Errors& errors) {
  switch (kind) {
    case Kind::kAny:
      return true;
    case Kind::kText:
      return require(value, value.is_string(), "string", path, errors);
    case Kind::kNumber:
      return require(value, value.is_number(), "number", path, errors);
    case Kind::kInteger:
      return require(value, value.is_int64(), "integer", path, errors);
    case Kind::kFlag:
      return require(value, value.is_bool(), "boolean", path, errors);
    case Kind::kList:
      return require(value, value.is_array(), "array", path, errors);
    case Kind::kTexts:
    case Kind::kSchemas:
      return check_elements(value, kind, path, errors);
    case Kind::kSchema:
      return check_keyword_types(value, path, errors);
    case Kind::kSchemaMap:
      return check_map(value, path, errors);
    case Kind::kSchemaOrFlag:
      return value.is_bool() || check_keyword_types(value, path, errors);
    case Kind::kSchemaOrList:
      return value.is_array() ? check_elements(value, Kind::kSchemas, path, errors)
                              : check_keyword_types(value, path, errors);
  }
  return true;
}

/// A keyword that is set to what it would be anyway does not count.
bool says_something(const Json& value) {
  if (value.is_null() || value == Json(false)) return false;
  return !(value.is_string() && value.get_string().empty()) &&
         !(value.is_array() && value.get_array().empty());
}

void check_root(const Json& schema, const FieldPath& path, bool has_status, Errors& errors) {
  if (bool_at(schema, "nullable")) {
    errors.push_back(
        fe::forbidden(path.field("nullable").text(), "nullable cannot be true at the root"));
  }
  if (!has_status) return;
  const std::string_view type = string_at(schema, "type");
  if (!type.empty() && type != "object") {
    errors.push_back(fe::invalid(path.field("type").text(), Json(type),
                                 "only \"object\" is allowed as the type at the root of the schema "
                                 "if the status subresource is enabled"));
    return;
  }
  for (const auto& member : schema.get_object()) {
    const Keyword* keyword = find_keyword(member.key());
    if (keyword == nullptr || keyword->at_root_with_status || !says_something(member.value())) {
      continue;
    }
    errors.push_back(fe::invalid(
        path.text(), schema,
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
        "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
        "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed "
        "at the root of the schema if the status subresource is enabled"));
    return;
  }
}

/// Puts what is wrong inside a value where the value is.
void add_under(const std::string& base, std::vector<FieldError> found, Errors& errors) {
  for (FieldError& error : found) {
    error.field = error.field == "<nil>" ? base : base + "." + error.field;
    errors.push_back(std::move(error));
  }
}

void check_default(const Schema& compiled, Schema::Extent extent, const FieldPath& path,
                   Errors& errors) {
  const Json& value = *compiled.default_value();
  const std::string field = path.field("default").text();
  Json pruned = value;
  if (!compiled.prune(pruned, extent).empty()) {
    errors.push_back(fe::invalid(field, value, "must not have unknown fields"));
  }
  if (extent == Schema::Extent::kWholeObject && value.is_object()) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      if (find(value, name) == nullptr) {
        errors.push_back(fe::required(fmt::format("{}.{}", field, name), "must not be empty"));
      }
    }
  }
  add_under(field, compiled.validate(value), errors);
}

void check_defaults_at(const Json& schema, const Schema& compiled, Schema::Extent extent,
                       const FieldPath& path, Errors& errors) {
  if (compiled.default_value()) check_default(compiled, extent, path, errors);
  if (const Json* items = given(schema, "items")) {
    check_defaults_at(*items, *compiled.items(), Schema::Extent::kPart, path.field("items"),
                      errors);
  }
  const FieldPath properties = path.field("properties");
  for (const auto& member : object_at(schema, "properties")) {
    check_defaults_at(member.value(), *compiled.property(member.key()), Schema::Extent::kPart,
                      properties.key(member.key()), errors);
  }
  if (const Json* additional = given(schema, "additionalProperties");
      additional != nullptr && additional->is_object()) {
    check_defaults_at(*additional, *compiled.property(""), Schema::Extent::kPart,
                      path.field("additionalProperties"), errors);
  }
}

}  // namespace

const Json* given(const Json& schema, std::string_view keyword) {
  const Json* value = schema.get_object().if_contains(keyword);
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool check_keyword_types(const Json& schema, const FieldPath& path, Errors& errors) {
  if (!require(schema, schema.is_object(), "object", path, errors)) return false;
  bool good = true;
  for (const auto& member : schema.get_object()) {
    const std::string_view name(member.key());
    const Keyword* keyword = find_keyword(name);
    if (keyword == nullptr || member.value().is_null()) continue;
    good = check_value(member.value(), keyword->kind, path.field(name), errors) && good;
  }
  return good;
}

void check_defaults(const Json& schema, const FieldPath& path, Errors& errors) {
  const auto compiled = Schema::compile(schema, {});
  if (!compiled) {
    // Mostly an unknown type, of which check_keywords() has told already.
    if (errors.empty()) {
      errors.push_back(fe::invalid(path.text(), Json(""), compiled.error().message()));
    }
    return;
  }
  check_defaults_at(schema, **compiled, Schema::Extent::kWholeObject, path, errors);
}

void check(const Json& schema, const FieldPath& path, bool has_status, Errors& errors) {
  if (!check_keyword_types(schema, path, errors)) return;
  check_root(schema, path, has_status, errors);
  check_keywords(schema, path, errors);
  if (check_structure(schema, path, errors)) check_defaults(schema, path, errors);
}

}  // namespace trainyard::definition_schema
