#include "server/kinds/open_api.h"

#include "base/crypto/ids.h"
#include "object/schema/shared_types.h"
#include "server/kinds/open_api_protobuf.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

constexpr std::string_view kOurs = "x-trainyard-";

/// api/v1 or apis/GROUP/VERSION.
std::string root_of(const Resource& resource) {
  return (resource.group.empty() ? "api/" : "apis/") + resource.api_version();
}

/// Kubernetes' own kinds are named after the Go packages that they come from, and tools look for
/// these names.
std::string built_in_schema_name(const Kind& kind) {
  const std::string& group = kind.resource.group;
  const std::string package = group.empty() ? "core" : group.substr(0, group.find('.'));
  std::string root = "io.k8s.api.";
  if (package == "apiextensions") root = "io.k8s.apiextensions-apiserver.pkg.apis.";
  if (package == "metrics") root = "io.k8s.metrics.pkg.apis.";
  return fmt::format("{}{}.{}.{}", root, package, kind.resource.version, kind.kind);
}

/// dev.tensorstack.batch.v1beta1.PyTorchTrainingJob: the group reversed, as is the custom.
std::string schema_name(const Kind& kind) {
  const bool ours = kind.resource.group.ends_with("trainyard.dev");
  if (!kind.custom && !ours) return built_in_schema_name(kind);
  std::string reversed;
  std::string_view rest = kind.resource.group;
  while (!rest.empty()) {
    const std::size_t dot = rest.rfind('.');
    const std::size_t start = dot == std::string_view::npos ? 0 : dot + 1;
    reversed += std::string(rest.substr(start)) + ".";
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
  }
  return fmt::format("{}{}.{}", reversed, kind.resource.version, kind.kind);
}

/// Custom kinds have the shared types without defaults, so those need names of their own.
std::string type_schema_name(const std::string& type, bool custom) {
  if (type == "ObjectMeta") return "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
  if (type == "Quantity") return "io.k8s.apimachinery.pkg.api.resource.Quantity";
  return (custom ? "dev.trainyard.types." : "io.k8s.api.core.v1.") + type;
}

Json group_version_kind(const Kind& kind) {
  return {{"group", kind.resource.group}, {"version", kind.resource.version}, {"kind", kind.kind}};
}

enum class Version : std::uint8_t { kV2, kV3 };

Json query_parameter(Version version, const char* name) {
  if (version == Version::kV2) return {{"name", name}, {"in", "query"}, {"type", "string"}};
  return {{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}}}};
}

/// Only what clients look for: which kind a path is about, and that fieldValidation is understood.
Json operation(Version version, const Kind& kind, const char* action) {
  JsonArray parameters;
  for (const char* name : {"dryRun", "fieldManager", "fieldValidation"}) {
    parameters.push_back(query_parameter(version, name));
  }
  return {{"operationId", fmt::format("{}{}{}", action, kind.resource.version, kind.kind)},
          {"parameters", std::move(parameters)},
          {"responses", {{"200", {{"description", "OK"}}}}},
          {"x-kubernetes-action", action},
          {"x-kubernetes-group-version-kind", group_version_kind(kind)}};
}

void add_paths(JsonObject& paths, Version version, const Kind& kind) {
  const auto add = [&](JsonObject& path, const char* verb, const char* method, const char* action) {
    if (kind.serves(verb)) path[method] = operation(version, kind, action);
  };
  const std::string collection =
      fmt::format("/{}{}/{}", root_of(kind.resource),
                  kind.namespaced ? "/namespaces/{namespace}" : "", kind.resource.plural);
  JsonObject all;
  add(all, "list", "get", "list");
  add(all, "create", "post", "post");
  paths[collection] = std::move(all);
  JsonObject one;
  add(one, "get", "get", "get");
  add(one, "update", "put", "put");
  add(one, "patch", "patch", "patch");
  add(one, "delete", "delete", "delete");
  if (!one.empty()) paths[collection + "/{name}"] = std::move(one);
}

Json info() {
  return {{"title", "Trainyard"}, {"version", "v1.32.0"}};
}

/// Collects the schemas of a document. Types that several kinds share are put in once and referred
/// to, which keeps a document small however many kinds have a pod template.
class Schemas {
 public:
  Schemas(const KindTable& kinds, std::string prefix) : kinds_(kinds), prefix_(std::move(prefix)) {}

  void add(const Kind& kind) {
    Json schema = resolve(*kind.source, kind.custom);
    add_what_all_have(schema);
    schema.get_object()["x-kubernetes-group-version-kind"] = JsonArray{group_version_kind(kind)};
    schemas_[schema_name(kind)] = std::move(schema);
  }
  bool empty() const { return schemas_.empty(); }
  JsonObject take() { return std::move(schemas_); }

 private:
  Json resolve(const Json& schema, bool custom) {
    if (schema.is_array()) {
      JsonArray elements;
      for (const Json& element : schema.get_array()) elements.push_back(resolve(element, custom));
      return elements;
    }
    if (!schema.is_object()) return schema;
    JsonObject resolved;
    for (const auto& member : schema.get_object()) {
      if (!std::string_view(member.key()).starts_with(kOurs)) {
        resolved[member.key()] = resolve(member.value(), custom);
      }
    }
    const std::string type(string_at(schema, kSharedTypeKey));
    if (type.empty()) return resolved;
    Json reference{{"$ref", prefix_ + type_schema_name(type, custom)}};
    add_type(type, custom);
    if (resolved.empty()) return reference;
    resolved["allOf"] = JsonArray{std::move(reference)};  // a bare $ref may have no siblings
    return resolved;
  }

  /// Definitions leave out what every object has; who checks an object by its schema must know.
  void add_what_all_have(Json& schema) {
    JsonObject& properties = make_path(schema, "properties").is_object()
                                 ? schema.at("properties").get_object()
                                 : schema.at("properties").emplace_object();
    for (const char* name : {"apiVersion", "kind"}) {
      if (!properties.contains(name)) properties[name] = JsonObject{{"type", "string"}};
    }
    if (const Json* given = properties.if_contains("metadata");
        given != nullptr && (find(*given, "allOf") != nullptr || find(*given, "$ref") != nullptr)) {
      return;
    }
    add_type("ObjectMeta", false);
    properties["metadata"] = JsonObject{{"$ref", prefix_ + type_schema_name("ObjectMeta", false)}};
  }

  void add_type(const std::string& type, bool custom) {
    const auto& types = kinds_.shared_types(custom);
    const std::string name = type_schema_name(type, custom);
    const auto source = types.find(type);
    if (schemas_.contains(name) || source == types.end()) return;
    schemas_[name] = JsonObject();  // types may refer to each other
    Json resolved = resolve(source->second, custom);
    schemas_[name] = std::move(resolved);
  }

  const KindTable& kinds_;
  std::string prefix_;
  JsonObject schemas_;
};

std::optional<std::string> document_v3(const KindTable& kinds, const std::string& root) {
  JsonObject paths;
  Schemas schemas(kinds, "#/components/schemas/");
  for (const KindPtr& kind : kinds.all()) {
    if (root_of(kind->resource) != root) continue;
    add_paths(paths, Version::kV3, *kind);
    schemas.add(*kind);
  }
  if (schemas.empty()) return std::nullopt;
  return to_text(Json{{"openapi", "3.0.0"},
                      {"info", info()},
                      {"paths", std::move(paths)},
                      {"components", {{"schemas", schemas.take()}}}});
}

Json document_v2(const KindTable& kinds) {
  JsonObject paths;
  Schemas schemas(kinds, "#/definitions/");
  for (const KindPtr& kind : kinds.all()) {
    add_paths(paths, Version::kV2, *kind);
    schemas.add(*kind);
  }
  return {{"swagger", "2.0"},
          {"info", info()},
          {"paths", std::move(paths)},
          {"definitions", schemas.take()}};
}

}  // namespace

std::string OpenApi::index_v3() {
  JsonObject paths;
  for (const KindPtr& kind : kinds_.all()) {
    const std::string root = root_of(kind->resource);
    if (paths.contains(root)) continue;
    // The hash lets clients keep a document for ever: it changes when the document does.
    const std::uint64_t hash = fnv1a(*answer("/openapi/v3/" + root));
    paths[root] =
        JsonObject{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={:016X}", root, hash)}};
  }
  return to_text(Json{{"paths", std::move(paths)}});
}

void OpenApi::forget_what_is_old() {
  if (generation_ != kinds_.generation()) made_.clear();
  generation_ = kinds_.generation();
}

std::string OpenApi::protobuf_v2() {
  forget_what_is_old();
  std::string& made = made_[kOpenApiProtobuf];
  if (made.empty()) made = encode_open_api_v2(document_v2(kinds_));
  return made;
}

std::optional<std::string> OpenApi::answer(const std::string& path) {
  forget_what_is_old();
  if (const auto found = made_.find(path); found != made_.end()) return found->second;
  std::optional<std::string> document;
  if (path == "/openapi/v2") {
    document = to_text(document_v2(kinds_));
  } else if (path == "/openapi/v3") {
    document = index_v3();
  } else if (path.starts_with("/openapi/v3/")) {
    document = document_v3(kinds_, path.substr(12));
  }
  if (document) made_[path] = *document;
  return document;
}

}  // namespace trainyard::server
