#include "server/rest/log_folders.h"

#include <algorithm>

namespace trainyard::server {

Result<> check_log_folders(const Rbac& rbac, const User& user, const std::string& ns,
                           const contract::LogPlaces& places) {
  for (const contract::LogFolderSource& folder : places.folders) {
    const Key claim{ns, folder.claim};
    TRY_OK(rbac.check(user, Access{"get", kVolumeClaims, "", claim, "", true}));
  }
  return Ok();
}

std::vector<contract::LogFolderSource> log_folders_for(const Verbs& verbs, const Rbac& rbac,
                                                       const User& user, const Json& pod) {
  const Json* owner = controller_of(pod);
  if (owner == nullptr) return {};
  const auto& kinds = verbs.kinds().all();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const KindPtr& each) {
    return each->kind == string_at(*owner, "kind") &&
           each->resource.api_version() == string_at(*owner, "apiVersion");
  });
  if (kind == kinds.end() || !contract::may_have_logs((*kind)->resource)) return {};
  const Key job{std::string(namespace_of(pod)), std::string(string_at(*owner, "name"))};
  if (!rbac.check(user, Access{"get", (*kind)->resource, "", job, "", true})) return {};
  const auto found = verbs.get(**kind, job);
  // A pod may outlive its job, and another one have its name.
  if (!found || uid_of((*found)->body()) != string_at(*owner, "uid")) return {};
  contract::LogPlaces places = contract::find_log_places((*found)->body());
  if (!check_log_folders(rbac, user, job.ns, places)) return {};
  return std::move(places.folders);
}

}  // namespace trainyard::server
