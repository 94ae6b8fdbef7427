#pragma once

#include "contract/log_sources.h"
#include "server/access/rbac.h"
#include "server/verbs/verbs.h"

#include <string>
#include <vector>

namespace trainyard::server {

// Whose event files somebody may see: who may get the job and the claims that they are on.

Result<> check_log_folders(const Rbac& rbac, const User& user, const std::string& ns,
                           const contract::LogPlaces& places);

/// Those of the job that a pod belongs to; none where the user may not see them.
std::vector<contract::LogFolderSource> log_folders_for(const Verbs& verbs, const Rbac& rbac,
                                                       const User& user, const Json& pod);

}  // namespace trainyard::server
