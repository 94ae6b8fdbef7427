#include "server/kinds/discovery.h"

#include "server/route.h"

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr const char* kAllVerbs[] = {"create", "delete", "deletecollection", "get",
                                     "list",   "patch",  "update",           "watch"};

JsonArray strings(const std::vector<std::string>& values) {
  JsonArray array;
  for (const std::string& value : values) array.emplace_back(value);
  return array;
}

JsonArray verbs_of(const Kind& kind) {
  JsonArray verbs;
  for (const char* verb : kAllVerbs) {
    if (kind.serves(verb)) verbs.emplace_back(verb);
  }
  return verbs;
}

Json group_version(const Resource& resource) {
  return {{"groupVersion", resource.api_version()}, {"version", resource.version}};
}

/// The kinds of one group: kinds are ordered by group and version.
struct Group {
  std::string name;
  std::vector<std::vector<KindPtr>> versions;
};

std::vector<Group> groups_of(const KindTable& kinds) {
  std::vector<Group> groups;
  for (const KindPtr& kind : kinds.all()) {
    if (groups.empty() || groups.back().name != kind->resource.group) {
      groups.push_back(Group{kind->resource.group, {}});
    }
    auto& versions = groups.back().versions;
    if (versions.empty() || versions.back().front()->resource.version != kind->resource.version) {
      versions.emplace_back();
    }
    versions.back().push_back(kind);
  }
  return groups;
}

Json describe_group(const Group& group) {
  JsonArray versions;
  for (const auto& kinds : group.versions) versions.push_back(group_version(kinds[0]->resource));
  Json preferred = versions.front();
  return {{"name", group.name},
          {"versions", std::move(versions)},
          {"preferredVersion", std::move(preferred)}};
}

Json describe_subresource(const Kind& kind, const Subresource& sub) {
  JsonObject entry{{"name", kind.resource.plural + "/" + sub.name},
                   {"singularName", ""},
                   {"namespaced", kind.namespaced},
                   {"kind", sub.type.plural},
                   {"verbs", strings(sub.verbs)}};
  if (sub.type.api_version() != kind.resource.api_version()) {
    if (!sub.type.group.empty()) entry["group"] = sub.type.group;
    entry["version"] = sub.type.version;
  }
  return entry;
}

Json type_of(const Resource& type) {
  return {{"group", type.group}, {"version", type.version}, {"kind", type.plural}};
}

Json version() {
  return {{"major", "1"},    {"minor", "32"},           {"gitVersion", "v1.32.0+trainyard"},
          {"gitCommit", ""}, {"gitTreeState", "clean"}, {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", ""}, {"compiler", "clang"},     {"platform", "linux/amd64"}};
}

Json root_paths(const KindTable& kinds) {
  JsonArray paths{"/api", "/api/v1", "/apis"};
  for (const Group& group : groups_of(kinds)) {
    if (group.name.empty()) continue;
    paths.emplace_back("/apis/" + group.name);
    for (const auto& one : group.versions) {
      paths.emplace_back("/apis/" + one[0]->resource.api_version());
    }
  }
  for (const char* path :
       {"/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}) {
    paths.emplace_back(path);
  }
  return {{"paths", std::move(paths)}};
}

Json group_list(const KindTable& kinds) {
  JsonArray list;
  for (const Group& group : groups_of(kinds)) {
    if (!group.name.empty()) list.push_back(describe_group(group));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(list)}};
}

}  // namespace

std::optional<Json> Discovery::resource_list(const std::string& api_version) const {
  JsonArray resources;
  for (const KindPtr& kind : kinds_.all()) {
    if (kind->resource.api_version() != api_version) continue;
    JsonObject entry{{"name", kind->resource.plural},
                     {"singularName", kind->singular},
                     {"namespaced", kind->namespaced},
                     {"kind", kind->kind},
                     {"verbs", verbs_of(*kind)}};
    if (!kind->short_names.empty()) entry["shortNames"] = strings(kind->short_names);
    if (!kind->categories.empty()) entry["categories"] = strings(kind->categories);
    resources.push_back(std::move(entry));
    for (const Subresource& sub : subresources_(*kind)) {
      resources.push_back(describe_subresource(*kind, sub));
    }
  }
  if (resources.empty()) return std::nullopt;
  return Json{{"kind", "APIResourceList"},
              {"apiVersion", "v1"},
              {"groupVersion", api_version},
              {"resources", std::move(resources)}};
}

Json Discovery::aggregated_resource(const Kind& kind) const {
  JsonObject entry{
      {"resource", kind.resource.plural},
      {"responseKind", type_of({kind.resource.group, kind.resource.version, kind.kind})},
      {"scope", kind.namespaced ? "Namespaced" : "Cluster"},
      {"singularResource", kind.singular},
      {"verbs", verbs_of(kind)}};
  if (!kind.short_names.empty()) entry["shortNames"] = strings(kind.short_names);
  if (!kind.categories.empty()) entry["categories"] = strings(kind.categories);
  JsonArray below;
  for (const Subresource& sub : subresources_(kind)) {
    below.push_back({{"subresource", sub.name},
                     {"responseKind", type_of(sub.type)},
                     {"verbs", strings(sub.verbs)}});
  }
  if (!below.empty()) entry["subresources"] = std::move(below);
  return entry;
}

/// Everything in one document: the core group for /api, all others for /apis.
Json Discovery::aggregated(bool core) const {
  JsonArray items;
  for (const Group& group : groups_of(kinds_)) {
    if (group.name.empty() != core) continue;
    JsonArray versions;
    for (const auto& version : group.versions) {
      JsonArray resources;
      for (const KindPtr& kind : version) resources.push_back(aggregated_resource(*kind));
      versions.push_back({{"version", version[0]->resource.version},
                          {"resources", std::move(resources)},
                          {"freshness", "Current"}});
    }
    JsonObject metadata{{"creationTimestamp", nullptr}};
    if (!core) metadata["name"] = group.name;
    items.push_back({{"metadata", std::move(metadata)}, {"versions", std::move(versions)}});
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/v2"},
          {"metadata", JsonObject()},
          {"items", std::move(items)}};
}

std::optional<Json> Discovery::discover(const std::string& path) const {
  if (path == "/") return root_paths(kinds_);
  if (path == "/version") return version();
  if (path == "/api") {
    return Json{
        {"kind", "APIVersions"}, {"versions", {"v1"}}, {"serverAddressByClientCIDRs", JsonArray()}};
  }
  if (path == "/apis") return group_list(kinds_);
  if (path.starts_with("/api/")) return resource_list(path.substr(5));
  if (!path.starts_with("/apis/")) return std::nullopt;
  const std::string rest = path.substr(6);
  if (rest.find('/') != std::string::npos) return resource_list(rest);
  for (const Group& group : groups_of(kinds_)) {
    if (group.name != rest) continue;
    Json answer = describe_group(group);
    answer.get_object()["kind"] = "APIGroup";
    answer.get_object()["apiVersion"] = "v1";
    return answer;
  }
  return std::nullopt;
}

std::optional<Discovery::Answer> Discovery::answer(const std::string& path,
                                                   std::string_view accept) {
  if (generation_ != kinds_.generation()) made_.clear();
  generation_ = kinds_.generation();
  const bool in_one = (path == "/api" || path == "/apis") && accepts_aggregated(accept);
  const std::string asked = in_one ? path + "?aggregated" : path;
  if (const auto found = made_.find(asked); found != made_.end()) return found->second;
  Answer made{"application/json", ""};
  if (in_one) {
    made.content_type += ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    made.text = to_text(aggregated(path == "/api"));
  } else {
    const auto found = discover(path);
    if (!found) return std::nullopt;
    made.text = to_text(*found);
  }
  made_[asked] = made;
  return made;
}

}  // namespace trainyard::server
