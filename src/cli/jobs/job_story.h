#pragma once

#include "cli/command/job_facts.h"
#include "client/remote/remote_api.h"

#include <string>
#include <vector>

/// A job in words.
namespace trainyard::cli {

/// What all replicas ask for together: requests, and limits behind a slash where they differ.
std::string asked_for(const Json& job, std::string_view resource);

/// Everything that is known of a job: what it is, how it stands and why, what it runs, its
/// replicas, conditions and events. Pure.
std::string tell_story(const Json& job, const std::vector<ObjectPtr>& pods,
                       const std::vector<ObjectPtr>& events, WallTime now);

/// When it happened last, and how often if more than once: `2026-11-16T10:00:00Z (3 times)`.
std::string event_time(const Json& event);

/// Events about any of these objects, in the order in which they were written.
awaitable<Result<std::vector<ObjectPtr>>> list_events(client::RemoteApi& api, std::string ns,
                                                      std::vector<std::string> uids);

}  // namespace trainyard::cli
