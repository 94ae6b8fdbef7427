#include "cli/arena/installed.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli::arena {

bool lists_resource(const Json& resources, const std::string& plural) {
  const JsonArray& all = array_at(resources, "resources");
  return std::any_of(all.begin(), all.end(),
                     [&](const Json& one) { return string_at(one, "name") == plural; });
}

bool is_not_installed(Session& session, const Resource& resource, const Error& error) {
  if (error.code() == Code::kNotFound) return true;
  if (error.code() != Code::kForbidden || resource.group.empty()) return false;
  const auto resources =
      session.run(session.api().get_path(fmt::format("/apis/{}", resource.api_version())));
  if (!resources) return resources.failed_with(Code::kNotFound);
  return !lists_resource(*resources, resource.plural);
}

std::string other_version(Session& session, const Resource& resource) {
  const auto group = session.run(session.api().get_path(fmt::format("/apis/{}", resource.group)));
  if (!group) return "";
  for (const Json& version : array_at(*group, "versions")) {
    const std::string name(string_at(version, "groupVersion"));
    if (name == resource.api_version()) continue;
    const auto resources = session.run(session.api().get_path("/apis/" + name));
    if (resources && lists_resource(*resources, resource.plural)) return name;
  }
  return "";
}

}  // namespace trainyard::cli::arena
