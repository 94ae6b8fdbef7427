#include "server/kind_table.h"

#include "embedded/kinds.h"
#include "object/shared_types.h"
#include "object/yaml.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr std::string_view kTypesFolder = "types/";

std::string stem(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

Result<std::map<std::string, Json>> read_types() {
  std::map<std::string, Json> sources;
  for (const embedded::File& file : embedded::kinds()) {
    if (!file.name.starts_with(kTypesFolder)) continue;
    auto schema = parse_json_or_yaml(file.bytes);
    if (!schema) return std::move(schema).error().within(std::string(file.name));
    sources[stem(file.name)] = *std::move(schema);
  }
  return sources;
}

/// The shared types, each compiled after the ones that it refers to.
class TypeLibrary {
 public:
  explicit TypeLibrary(std::map<std::string, Json> sources) : sources_(std::move(sources)) {}
  Result<> compile() {
    for (const auto& [name, source] : sources_) TRY_OK(compile(name));
    return Ok();
  }
  const SharedTypes& types() const { return types_; }
  const std::map<std::string, Json>& sources() const { return sources_; }

 private:
  Result<> compile(const std::string& name) {
    if (types_.contains(name)) return Ok();
    TRY_OK(compile_references(sources_[name]));
    auto schema = Schema::compile(sources_[name], types_);
    if (!schema) return std::move(schema).error().within("types/" + name);
    types_[name] = *std::move(schema);
    return Ok();
  }
  Result<> compile_references(const Json& schema) {
    if (schema.is_array()) {
      for (const Json& element : schema.get_array()) TRY_OK(compile_references(element));
    }
    if (!schema.is_object()) return Ok();
    const std::string reference(string_at(schema, "x-trainyard-type"));
    if (!reference.empty()) TRY_OK(compile(reference));
    for (const auto& member : schema.get_object()) TRY_OK(compile_references(member.value()));
    return Ok();
  }

  std::map<std::string, Json> sources_;
  SharedTypes types_;
};

}  // namespace

Result<KindTable> KindTable::load() {
  TRY(auto sources, read_types());
  std::map<std::string, Json> bare_sources;
  for (const auto& [name, source] : sources) bare_sources[name] = without_defaults(source);
  TypeLibrary built_in(std::move(sources));
  TypeLibrary custom(std::move(bare_sources));
  TRY_OK(built_in.compile());
  TRY_OK(custom.compile());
  KindTable table;
  for (const embedded::File& file : embedded::kinds()) {
    if (file.name.starts_with(kTypesFolder)) continue;
    auto definition = parse_json_or_yaml(file.bytes);
    if (!definition) return std::move(definition).error().within(std::string(file.name));
    const bool is_built_in = string_at(*definition, "kind") == "BuiltInKind";
    const TypeLibrary& library = is_built_in ? built_in : custom;
    auto kind = read_kind(*definition, library.types(), library.sources());
    if (!kind) return std::move(kind).error().within(std::string(file.name));
    table.by_resource_[kind->resource] = table.kinds_.size();
    table.kinds_.push_back(*std::move(kind));
  }
  return table;
}

const Kind* KindTable::find(const Resource& resource) const {
  const auto found = by_resource_.find(resource);
  return found == by_resource_.end() ? nullptr : &kinds_[found->second];
}

}  // namespace trainyard::server
