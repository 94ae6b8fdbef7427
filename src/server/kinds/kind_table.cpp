#include "server/kinds/kind_table.h"

#include "embedded/kinds.h"
#include "object/schema/shared_types.h"
#include "object/yaml/yaml.h"
#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::server {
namespace {

constexpr std::string_view kTypesFolder = "types/";

std::string stem(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

std::string definition_name(const Json& definition) {
  const std::string_view group = string_at(definition, "spec.group");
  return fmt::format("{}{}{}", string_at(definition, "spec.names.plural"), group.empty() ? "" : ".",
                     group);
}

/// When a definition was last changed; 0 when it is not a stored one.
std::int64_t revision_of(const Json& definition) {
  const std::string_view text = string_at(definition, "metadata.resourceVersion");
  std::int64_t revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

/// Takes out what only our own server reads: keys by which a list that is no map is merged, and how
/// strategic patches merge, which definitions have no words for. On a cluster such a list is
/// replaced as a whole, and a definition that says otherwise is refused.
void make_plain(Json& schema) {
  if (schema.is_array()) {
    for (Json& element : schema.get_array()) make_plain(element);
  }
  if (!schema.is_object()) return;
  JsonObject& members = schema.get_object();
  const auto keys = members.find("x-kubernetes-list-map-keys");
  if (keys != members.end() && string_at(schema, "x-kubernetes-list-type") != "map") {
    members.stable_erase(keys);
  }
  for (const char* hint : {"x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key"}) {
    if (const auto found = members.find(hint); found != members.end()) members.stable_erase(found);
  }
  for (auto& member : members) make_plain(member.value());
}

/// Events are kept once and shown in two groups.
std::string collection_for(const Resource& resource) {
  if (resource.group == "events.k8s.io") return store::collection_of(kEvents);
  return store::collection_of(resource);
}

bool comes_before(const KindPtr& a, const KindPtr& b) {
  if (a->resource.group != b->resource.group) return a->resource.group < b->resource.group;
  if (a->resource.version != b->resource.version) {
    return is_preferred_version(a->resource.version, b->resource.version);
  }
  return a->resource.plural < b->resource.plural;
}

}  // namespace

Result<> KindTable::load_types() {
  for (const embedded::File& file : embedded::kinds()) {
    if (!file.name.starts_with(kTypesFolder)) continue;
    auto schema = parse_json_or_yaml(file.bytes);
    if (!schema) return std::move(schema).error().within(std::string(file.name));
    custom_types_.sources[stem(file.name)] = without_defaults(*schema);
    built_in_types_.sources[stem(file.name)] = *std::move(schema);
  }
  TRY_OK(built_in_types_.compile_all());
  return custom_types_.compile_all();
}

Result<> KindTable::Types::compile_all() {
  for (const auto& [name, source] : sources) TRY_OK(compile(name));
  return Ok();
}

Result<> KindTable::Types::compile(const std::string& name) {
  if (compiled.contains(name)) return Ok();
  TRY_OK(compile_references(sources[name]));
  auto schema = Schema::compile(sources[name], compiled);
  if (!schema) return std::move(schema).error().within("types/" + name);
  compiled[name] = *std::move(schema);
  return Ok();
}

Result<> KindTable::Types::compile_references(const Json& schema) {
  if (schema.is_array()) {
    for (const Json& element : schema.get_array()) TRY_OK(compile_references(element));
  }
  if (!schema.is_object()) return Ok();
  const std::string reference(string_at(schema, kSharedTypeKey));
  if (!reference.empty()) TRY_OK(compile(reference));
  for (const auto& member : schema.get_object()) TRY_OK(compile_references(member.value()));
  return Ok();
}

const std::map<std::string, Json>& KindTable::shared_types(bool custom) const {
  return custom ? custom_types_.sources : built_in_types_.sources;
}

Result<> KindTable::add(Json definition, bool built_in) {
  const std::string name = definition_name(definition);
  const bool custom = string_at(definition, "kind") == "CustomResourceDefinition";
  const std::int64_t revision = revision_of(definition);
  auto shared = std::make_shared<const Json>(std::move(definition));
  // Only our own files may speak of shared types.
  static const SharedTypes kNoTypes;
  const SharedTypes& ours = custom ? custom_types_.compiled : built_in_types_.compiled;
  auto kinds = read_kinds(std::move(shared), built_in ? ours : kNoTypes);
  if (!kinds) return std::move(kinds).error().within(name);
  std::vector<KindPtr> versions;
  for (Kind& kind : *kinds) {
    kind.collection = collection_for(kind.resource);
    if (kind.collection == "events") kind.storage_api_version = "v1";
    if (!built_in && kind.storage_schema->has_defaults()) kind.defaults_since = revision;
    kind.has_rules = kind.custom && !built_in && kind.schema->has_unevaluated_rules();
    versions.push_back(std::make_shared<const Kind>(std::move(kind)));
  }
  (built_in ? built_in_ : users_)[name] = std::move(versions);
  return Ok();
}

void KindTable::rebuild() {
  all_.clear();
  by_resource_.clear();
  for (const auto* definitions : {&built_in_, &users_}) {
    for (const auto& [name, versions] : *definitions) {
      for (const KindPtr& kind : versions) {
        all_.push_back(kind);
        by_resource_[kind->resource] = kind;
      }
    }
  }
  std::sort(all_.begin(), all_.end(), comes_before);
  ++generation_;
}

Result<KindTable> KindTable::load() {
  KindTable table;
  TRY_OK(table.load_types());
  for (const embedded::File& file : embedded::kinds()) {
    if (file.name.starts_with(kTypesFolder)) continue;
    auto definition = parse_json_or_yaml(file.bytes);
    if (!definition) return std::move(definition).error().within(std::string(file.name));
    auto added = table.add(*std::move(definition), true);
    if (!added) return std::move(added).error().within(std::string(file.name));
  }
  table.rebuild();
  return table;
}

KindPtr KindTable::find(const Resource& resource) const {
  const auto found = by_resource_.find(resource);
  return found == by_resource_.end() ? nullptr : found->second;
}

Result<> KindTable::put_definition(const Json& definition) {
  TRY_OK(add(definition, false));
  rebuild();
  return Ok();
}

void KindTable::remove_definition(const std::string& name) {
  if (users_.erase(name) > 0) rebuild();
}

bool KindTable::is_built_in(const std::string& name) const {
  return built_in_.contains(name);
}

std::vector<Json> KindTable::built_in_definitions() const {
  std::vector<Json> definitions;
  for (const auto& [name, versions] : built_in_) {
    if (versions.empty() || !versions.front()->custom) continue;
    Json definition = expand_types(*versions.front()->definition, custom_types_.sources);
    for (Json& version : make_path(definition, "spec.versions").get_array()) {
      Json& schema = make_path(version, "schema.openAPIV3Schema");
      make_plain(schema);
      make_path(schema, "properties.metadata") = JsonObject{{"type", "object"}};  // as all have it
    }
    definitions.push_back(std::move(definition));
  }
  return definitions;
}

Json expand_types(const Json& schema, const std::map<std::string, Json>& shared) {
  if (schema.is_array()) {
    JsonArray elements;
    for (const Json& element : schema.get_array())
      elements.push_back(expand_types(element, shared));
    return elements;
  }
  if (!schema.is_object()) return schema;
  JsonObject expanded;
  if (const auto type = shared.find(std::string(string_at(schema, kSharedTypeKey)));
      type != shared.end()) {
    expanded = expand_types(type->second, shared).get_object();
  }
  for (const auto& member : schema.get_object()) {
    if (member.key() == kSharedTypeKey) continue;
    expanded[member.key()] = expand_types(member.value(), shared);
  }
  return expanded;
}

}  // namespace trainyard::server
