#include "server/open_api.h"

#include "base/ids.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

/// api/v1 or apis/GROUP/VERSION.
std::string root_of(const Resource& resource) {
  return (resource.group.empty() ? "api/" : "apis/") + resource.api_version();
}

/// dev.tensorstack.batch.v1beta1.PyTorchTrainingJob: the group reversed, as is the custom.
std::string schema_name(const Kind& kind) {
  if (kind.resource.group.empty()) {
    return fmt::format("io.k8s.api.core.{}.{}", kind.resource.version, kind.kind);
  }
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

Json group_version_kind(const Kind& kind) {
  return {{"group", kind.resource.group}, {"version", kind.resource.version}, {"kind", kind.kind}};
}

Json schema_with_kind(const Kind& kind) {
  Json schema = kind.open_api;
  schema.get_object()["x-kubernetes-group-version-kind"] = JsonArray{group_version_kind(kind)};
  return schema;
}

Json query_parameter(const char* name) {
  return {{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}}}};
}

/// Only what clients look for: which kind a path is about, and that fieldValidation is understood.
Json operation(const Kind& kind, const char* action) {
  return {{"operationId", fmt::format("{}{}{}", action, kind.resource.version, kind.kind)},
          {"parameters", JsonArray{query_parameter("dryRun"), query_parameter("fieldManager"),
                                   query_parameter("fieldValidation")}},
          {"responses", {{"200", {{"description", "OK"}}}}},
          {"x-kubernetes-action", action},
          {"x-kubernetes-group-version-kind", group_version_kind(kind)}};
}

JsonObject paths_of(const Kind& kind) {
  const std::string collection =
      fmt::format("/{}{}/{}", root_of(kind.resource),
                  kind.namespaced ? "/namespaces/{namespace}" : "", kind.resource.plural);
  JsonObject paths;
  paths[collection] =
      JsonObject{{"get", operation(kind, "list")}, {"post", operation(kind, "post")}};
  paths[collection + "/{name}"] = JsonObject{{"get", operation(kind, "get")},
                                             {"put", operation(kind, "put")},
                                             {"patch", operation(kind, "patch")},
                                             {"delete", operation(kind, "delete")}};
  return paths;
}

Json info() {
  return {{"title", "Trainyard"}, {"version", "v1.32.0"}};
}

std::optional<std::string> document_v3(const KindTable& kinds, const std::string& root) {
  JsonObject paths;
  JsonObject schemas;
  for (const Kind& kind : kinds.all()) {
    if (root_of(kind.resource) != root) continue;
    for (auto& path : paths_of(kind)) paths[path.key()] = path.value();
    schemas[schema_name(kind)] = schema_with_kind(kind);
  }
  if (schemas.empty()) return std::nullopt;
  return to_text(Json{{"openapi", "3.0.0"},
                      {"info", info()},
                      {"paths", std::move(paths)},
                      {"components", {{"schemas", std::move(schemas)}}}});
}

std::string document_v2(const KindTable& kinds) {
  JsonObject paths;
  JsonObject definitions;
  for (const Kind& kind : kinds.all()) {
    for (auto& path : paths_of(kind)) paths[path.key()] = path.value();
    definitions[schema_name(kind)] = schema_with_kind(kind);
  }
  return to_text(Json{{"swagger", "2.0"},
                      {"info", info()},
                      {"paths", std::move(paths)},
                      {"definitions", std::move(definitions)}});
}

}  // namespace

std::string OpenApi::index_v3() {
  JsonObject paths;
  for (const Kind& kind : kinds_.all()) {
    const std::string root = root_of(kind.resource);
    if (paths.contains(root)) continue;
    // The hash lets clients keep a document for ever: it changes when the document does.
    const std::uint64_t hash = fnv1a(*answer("/openapi/v3/" + root));
    paths[root] =
        JsonObject{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={:016X}", root, hash)}};
  }
  return to_text(Json{{"paths", std::move(paths)}});
}

std::optional<std::string> OpenApi::answer(const std::string& path) {
  if (const auto found = made_.find(path); found != made_.end()) return found->second;
  std::optional<std::string> document;
  if (path == "/openapi/v2") {
    document = document_v2(kinds_);
  } else if (path == "/openapi/v3") {
    document = index_v3();
  } else if (path.starts_with("/openapi/v3/")) {
    document = document_v3(kinds_, path.substr(12));
  }
  if (document) made_[path] = *document;
  return document;
}

}  // namespace trainyard::server
