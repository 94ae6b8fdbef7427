#pragma once

#include "base/clock.h"
#include "cli/context.h"

#include <string>
#include <vector>

namespace trainyard::cli {

/// The label of a pod that names its job.
inline constexpr const char* kOwnerNameLabel = "tensorstack.dev/owner-name";

/// The job kinds that job commands look for a name in.
const std::vector<Resource>& job_resources();

awaitable<Result<std::vector<ObjectPtr>>> list_jobs(client::RemoteApi& api, std::string ns);
/// The job of that name, whatever its kind. kNotFound says where it was looked for.
awaitable<Result<ObjectPtr>> find_job(client::RemoteApi& api, Key key);
Resource resource_of(const Json& job);
awaitable<Result<std::vector<ObjectPtr>>> list_pods_of(client::RemoteApi& api, Key job);

/// `node: 1/1` for each group: running (or done) of all.
std::string replica_summary(const Json& job);
/// The message of the condition that explains best why the job is where it is; may be empty.
std::string explanation(const Json& job);
/// What a pod says that it waits for, when one does; may be empty.
std::string waiting_reason(const std::vector<ObjectPtr>& pods);
std::string age_of(const Json& object, WallTime now);

}  // namespace trainyard::cli
