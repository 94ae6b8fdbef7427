#pragma once

#include "object/values/metadata.h"
#include "object/values/quantity.h"

#include <map>
#include <string>

namespace trainyard {

/// Amounts by the names that a ResourceQuota's spec.hard uses: pods, requests.cpu,
/// requests.nvidia.com/gpu, count/deployments.apps …
using Amounts = std::map<std::string, Quantity>;

/// What one object counts for. A pod that has ended counts only as an object (count/pods).
Amounts quota_usage(const Json& object, const Resource& resource);
/// The same for one ResourceQuota: only what it bounds, and nothing when its scopes do not apply.
Amounts quota_usage(const Json& object, const Resource& resource, const Json& quota);
/// Whether what an object counts for depends on what is in it. Others are merely counted.
bool quota_depends_on_content(const Resource& resource);

/// Whether a ResourceQuota counts this object: one with scopes counts only pods to which they
/// apply.
bool matches_scopes(const Json& quota, const Json& object, const Resource& resource);

/// "must specify …": what containers of a pod leave open although a quota bounds it, by name and
/// container. Empty when nothing is missing.
std::string missing_for_quota(const Json& quota, const Json& pod);

/// The group and plural of the kind whose objects count under a name of spec.hard; no version.
/// An empty plural: the name means nothing.
Resource resource_behind(std::string_view quota_name);

/// What a pod needs in all: the sum of its containers, or what its init containers need at their
/// worst moment where that is more. `limits`: its limits instead of its requests.
Amounts pod_resources(const Json& pod, bool limits);

}  // namespace trainyard
