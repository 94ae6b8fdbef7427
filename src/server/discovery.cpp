#include "server/discovery.h"

#include <set>

namespace trainyard::server {
namespace {

JsonArray strings(const std::vector<std::string>& values) {
  JsonArray array;
  for (const std::string& value : values) array.emplace_back(value);
  return array;
}

Json group_version(const Resource& resource) {
  return {{"groupVersion", resource.api_version()}, {"version", resource.version}};
}

Json group(const Resource& resource) {
  return {{"name", resource.group},
          {"versions", JsonArray{group_version(resource)}},
          {"preferredVersion", group_version(resource)}};
}

/// One resource of each named group.
std::vector<Resource> groups(const KindTable& kinds) {
  std::vector<Resource> found;
  std::set<std::string> seen;
  for (const Kind& kind : kinds.all()) {
    if (!kind.resource.group.empty() && seen.insert(kind.resource.group).second) {
      found.push_back(kind.resource);
    }
  }
  return found;
}

Json subresource(const Kind& kind, const std::string& name, JsonArray verbs) {
  return {{"name", kind.resource.plural + "/" + name},
          {"singularName", ""},
          {"namespaced", kind.namespaced},
          {"kind", kind.kind},
          {"verbs", std::move(verbs)}};
}

std::optional<Json> resource_list(const KindTable& kinds, const std::string& api_version) {
  JsonArray resources;
  for (const Kind& kind : kinds.all()) {
    if (kind.resource.api_version() != api_version) continue;
    JsonObject entry{{"name", kind.resource.plural},
                     {"singularName", kind.singular},
                     {"namespaced", kind.namespaced},
                     {"kind", kind.kind},
                     {"verbs", {"create", "delete", "get", "list", "patch", "update", "watch"}}};
    if (!kind.short_names.empty()) entry["shortNames"] = strings(kind.short_names);
    if (!kind.categories.empty()) entry["categories"] = strings(kind.categories);
    resources.push_back(std::move(entry));
    if (kind.has_status) {
      resources.push_back(subresource(kind, "status", {"get", "patch", "update"}));
    }
    if (kind.resource == kPods) resources.push_back(subresource(kind, "log", {"get"}));
  }
  if (resources.empty()) return std::nullopt;
  return Json{{"kind", "APIResourceList"},
              {"apiVersion", "v1"},
              {"groupVersion", api_version},
              {"resources", std::move(resources)}};
}

Json version() {
  return {{"major", "1"},    {"minor", "32"},           {"gitVersion", "v1.32.0+trainyard"},
          {"gitCommit", ""}, {"gitTreeState", "clean"}, {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", ""}, {"compiler", "clang"},     {"platform", "linux/amd64"}};
}

Json group_list(const KindTable& kinds) {
  JsonArray list;
  for (const Resource& resource : groups(kinds)) list.push_back(group(resource));
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(list)}};
}

}  // namespace

std::optional<Json> discover(const KindTable& kinds, const std::string& path) {
  if (path == "/version") return version();
  if (path == "/api") {
    return Json{
        {"kind", "APIVersions"}, {"versions", {"v1"}}, {"serverAddressByClientCIDRs", JsonArray()}};
  }
  if (path == "/apis") return group_list(kinds);
  if (path.starts_with("/api/")) return resource_list(kinds, path.substr(5));
  if (!path.starts_with("/apis/")) return std::nullopt;
  const std::string rest = path.substr(6);
  if (rest.find('/') != std::string::npos) return resource_list(kinds, rest);
  for (const Resource& resource : groups(kinds)) {
    if (resource.group != rest) continue;
    Json answer = group(resource);
    answer.get_object()["kind"] = "APIGroup";
    answer.get_object()["apiVersion"] = "v1";
    return answer;
  }
  return std::nullopt;
}

}  // namespace trainyard::server
