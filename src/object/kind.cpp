#include "object/kind.h"

#include <fmt/format.h>

namespace trainyard {
namespace {

std::vector<std::string> strings_at(const Json& json, std::string_view path) {
  std::vector<std::string> values;
  for (const Json& value : array_at(json, path)) {
    if (value.is_string()) values.push_back(to_string(value.get_string()));
  }
  return values;
}

/// Puts the shared types in place of their names: what others see of a schema is plain OpenAPI.
Json expand(const Json& schema, const std::map<std::string, Json>& shared) {
  if (schema.is_array()) {
    JsonArray elements;
    for (const Json& element : schema.get_array()) elements.push_back(expand(element, shared));
    return elements;
  }
  if (!schema.is_object()) return schema;
  JsonObject expanded;
  if (const auto type = shared.find(std::string(string_at(schema, "x-trainyard-type")));
      type != shared.end()) {
    expanded = expand(type->second, shared).get_object();
  }
  for (const auto& member : schema.get_object()) {
    if (member.key() == "x-trainyard-type") continue;
    expanded[member.key()] = expand(member.value(), shared);
  }
  return expanded;
}

const Json* stored_version(const Json& definition) {
  for (const Json& version : array_at(definition, "spec.versions")) {
    if (bool_at(version, "storage")) return &version;
  }
  return nullptr;
}

Column read_column(const Json& json) {
  Column column;
  column.name = string_at(json, "name");
  column.type = string_at(json, "type", "string");
  column.format = string_at(json, "format");
  column.description = string_at(json, "description");
  column.json_path = string_at(json, "jsonPath");
  column.priority = int_at(json, "priority");
  return column;
}

}  // namespace

Result<Kind> read_kind(const Json& definition, const SharedTypes& shared,
                       const std::map<std::string, Json>& shared_sources) {
  const Json* version = stored_version(definition);
  if (version == nullptr) {
    return Error(Code::kInvalid, "spec.versions: one version must have storage: true");
  }
  Kind kind;
  kind.resource.group = string_at(definition, "spec.group");
  kind.resource.version = string_at(*version, "name");
  kind.resource.plural = string_at(definition, "spec.names.plural");
  kind.kind = string_at(definition, "spec.names.kind");
  kind.list_kind = string_at(definition, "spec.names.listKind", kind.kind + "List");
  kind.singular = string_at(definition, "spec.names.singular");
  kind.short_names = strings_at(definition, "spec.names.shortNames");
  kind.categories = strings_at(definition, "spec.names.categories");
  kind.namespaced = string_at(definition, "spec.scope", "Namespaced") == "Namespaced";
  kind.has_status = find(*version, "subresources.status") != nullptr;
  kind.custom = string_at(definition, "kind") == "CustomResourceDefinition";
  for (const Json& column : array_at(*version, "additionalPrinterColumns")) {
    kind.columns.push_back(read_column(column));
  }
  const Json* schema = find(*version, "schema.openAPIV3Schema");
  if (schema == nullptr) return Error(Code::kInvalid, "spec.versions[].schema: Required value");
  auto compiled = Schema::compile(*schema, shared);
  if (!compiled) return std::move(compiled).error().within(kind.kind);
  kind.schema = *std::move(compiled);
  kind.open_api = expand(*schema, shared_sources);
  return kind;
}

}  // namespace trainyard
