#include "object/schema/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

namespace trainyard {
namespace {

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

/// .spec.nodeName, as selectable fields and scale paths are written, without its dot.
std::string without_dot(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  return std::string(path);
}

std::optional<ScalePaths> read_scale(const Json& version) {
  const Json* scale = find(version, "subresources.scale");
  if (scale == nullptr || !scale->is_object()) return std::nullopt;
  ScalePaths paths;
  paths.spec_replicas = without_dot(string_at(*scale, "specReplicasPath", ".spec.replicas"));
  paths.status_replicas = without_dot(string_at(*scale, "statusReplicasPath", ".status.replicas"));
  paths.label_selector = without_dot(string_at(*scale, "labelSelectorPath"));
  return paths;
}

/// Those of built-in kinds may be called otherwise than where they stand.
SelectableField read_selectable(const Json& json, bool custom) {
  SelectableField field;
  field.path = without_dot(string_at(json, "jsonPath"));
  field.name = custom ? field.path : std::string(string_at(json, "name", field.path));
  if (!custom) field.missing = string_at(json, "missing");
  return field;
}

/// What all versions share.
Kind read_names(const Json& definition) {
  Kind kind;
  kind.resource.group = string_at(definition, "spec.group");
  kind.resource.plural = string_at(definition, "spec.names.plural");
  kind.kind = string_at(definition, "spec.names.kind");
  kind.list_kind = string_at(definition, "spec.names.listKind", kind.kind + "List");
  kind.singular = string_at(definition, "spec.names.singular");
  if (kind.singular.empty()) {
    for (const char c : kind.kind) {
      kind.singular += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
  }
  kind.short_names = texts_at(definition, "spec.names.shortNames");
  kind.categories = texts_at(definition, "spec.names.categories");
  kind.verbs = texts_at(definition, "spec.verbs");
  kind.namespaced = string_at(definition, "spec.scope", "Namespaced") == "Namespaced";
  kind.custom = string_at(definition, "kind") == "CustomResourceDefinition";
  kind.has_generation = kind.custom || bool_at(definition, "spec.generation");
  return kind;
}

Result<> read_version(const Json& version, const SharedTypes& shared, Kind& kind) {
  kind.resource.version = string_at(version, "name");
  kind.has_status = find(version, "subresources.status") != nullptr;
  kind.scale = read_scale(version);
  for (const Json& field : array_at(version, "selectableFields")) {
    kind.selectable.push_back(read_selectable(field, kind.custom));
  }
  if (bool_at(version, "deprecated")) {
    const std::string plain =
        fmt::format("{} {} is deprecated", kind.resource.api_version(), kind.kind);
    kind.deprecation = string_at(version, "deprecationWarning", plain);
  }
  for (const Json& column : array_at(version, "additionalPrinterColumns")) {
    kind.columns.push_back(read_column(column));
  }
  kind.source = find(version, "schema.openAPIV3Schema");
  if (kind.source == nullptr) {
    return Error(Code::kInvalid, "spec.versions[].schema.openAPIV3Schema: Required value");
  }
  auto compiled = Schema::compile(*kind.source, shared);
  if (!compiled) return std::move(compiled).error().within(kind.kind);
  kind.schema = *std::move(compiled);
  return Ok();
}

/// Gives all versions the schema of the one that is stored, which need not be served.
Result<> share_storage_schema(const Json& stored, const SharedTypes& shared,
                              std::vector<Kind>& kinds) {
  std::shared_ptr<const Schema> schema;
  for (const Kind& kind : kinds) {
    if (kind.resource.version == string_at(stored, "name")) schema = kind.schema;
  }
  if (schema == nullptr && !kinds.empty()) {
    Kind unserved = kinds.front();
    TRY_OK(read_version(stored, shared, unserved));
    schema = unserved.schema;
  }
  for (Kind& kind : kinds) kind.storage_schema = schema;
  return Ok();
}

/// v1beta2 → stability 1 (0 alpha, 2 final), major 1, minor 2; other names come last.
std::tuple<int, int, int> version_rank(std::string_view version) {
  const auto number = [](std::string_view& text) {
    int value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    return parsed.ec == std::errc() ? value : -1;
  };
  const std::tuple<int, int, int> other{-1, 0, 0};
  if (!version.starts_with('v')) return other;
  version.remove_prefix(1);
  const int major = number(version);
  if (major < 0) return other;
  if (version.empty()) return {2, major, 0};
  int stability = -1;
  if (version.starts_with("beta")) {
    stability = 1;
    version.remove_prefix(4);
  } else if (version.starts_with("alpha")) {
    stability = 0;
    version.remove_prefix(5);
  }
  const int minor = stability < 0 ? -1 : number(version);
  return minor < 0 || !version.empty() ? other : std::tuple(stability, major, minor);
}

}  // namespace

bool Kind::serves(std::string_view verb) const {
  return verbs.empty() || std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

Result<std::vector<Kind>> read_kinds(std::shared_ptr<const Json> definition,
                                     const SharedTypes& shared) {
  const JsonArray& versions = array_at(*definition, "spec.versions");
  const auto stored = std::find_if(versions.begin(), versions.end(),
                                   [](const Json& version) { return bool_at(version, "storage"); });
  if (stored == versions.end()) {
    return Error(Code::kInvalid, "spec.versions: one version must have storage: true");
  }
  const Kind names = read_names(*definition);
  std::vector<Kind> kinds;
  for (const Json& version : versions) {
    if (!bool_at(version, "served", true)) continue;
    Kind kind = names;
    kind.definition = definition;
    TRY_OK(read_version(version, shared, kind));
    kind.storage_api_version =
        Resource{kind.resource.group, std::string(string_at(*stored, "name")), ""}.api_version();
    kinds.push_back(std::move(kind));
  }
  TRY_OK(share_storage_schema(*stored, shared, kinds));
  return kinds;
}

bool is_preferred_version(std::string_view a, std::string_view b) {
  const auto rank_a = version_rank(a);
  const auto rank_b = version_rank(b);
  if (rank_a != rank_b) return rank_a > rank_b;
  return a < b;
}

}  // namespace trainyard
