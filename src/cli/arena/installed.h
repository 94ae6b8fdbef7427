#pragma once

#include "cli/command/context.h"

#include <string>

/// Which kinds a cluster has.
namespace trainyard::cli::arena {

/// Whether a list of a group's resources, as the server tells it, has this one.
bool lists_resource(const Json& resources, const std::string& plural);

/// Whether an error means that nobody has installed the kind. A cluster asks whether somebody may
/// look before it looks itself: who has no rights to a kind that is not there is refused as well,
/// and only its list of kinds, which everybody may read, tells the two apart.
bool is_not_installed(Session& session, const Resource& resource, const Error& error);

/// Another version of the group in which the cluster has the kind, such as kubeflow.org/v1; empty
/// when there is none.
std::string other_version(Session& session, const Resource& resource);

}  // namespace trainyard::cli::arena
