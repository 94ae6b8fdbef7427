#pragma once

#include "cli/command/context.h"
#include "cli/command/job_facts.h"
#include "cli/command/job_kinds.h"

#include <string>
#include <vector>

/// Jobs of all kinds, found on the server.
namespace trainyard::cli {

/// A job and where it is.
struct FoundJob {
  Resource resource;
  ObjectPtr object;

  const Json& body() const { return object->body(); }
  Key key() const { return key_of(object->body()); }
};

/// Of all kinds, the newest first. `labels` is a selector; an empty namespace means all.
awaitable<Result<std::vector<FoundJob>>> list_jobs(client::RemoteApi& api, std::string ns,
                                                   std::string labels = "");
/// The job that `text` (NAME or KIND/NAME) means. An error says where it was looked for, or names
/// those that it could mean.
awaitable<Result<FoundJob>> find_job(client::RemoteApi& api, std::string ns, std::string text);

/// The selector that finds a job's pods, and those of jobs of the same name.
std::string pods_label(const Json& job);
/// Its pods, in the order of its replicas.
awaitable<Result<std::vector<ObjectPtr>>> list_pods_of(client::RemoteApi& api, Json job);

}  // namespace trainyard::cli
