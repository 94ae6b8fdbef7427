#pragma once

#include "node/images/image_users.h"
#include "node/pod_facts.h"
#include "object/json/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// Whom a container runs as.
struct Identity {
  std::optional<std::int64_t> uid;  // nothing: as the server
  std::optional<std::int64_t> gid;
  std::vector<std::int64_t> groups;      // beside its own
  std::optional<std::int64_t> fs_group;  // owns the pod's own volumes
  std::optional<std::string> home;       // when that is not the server's
};

/// From the securityContext of the container and of the pod, of which the first counts more, then
/// from the image, if it has a root of its own. kInvalid in kubelet's words when runAsNonRoot
/// forbids it. `server_uid` is who it is otherwise, also for an image that asks for root where the
/// server is not: that is what one means which asks for nobody. `shared` is the group of the pod's
/// namespace (namespace_groups.h): it is given to the container, and no other such group is.
Result<Identity> make_identity(const Json& pod, const Json& container, const PodFacts& facts,
                               std::int64_t server_uid, const std::optional<ImageUsers>& image,
                               std::optional<std::int64_t> shared = std::nullopt);

}  // namespace trainyard::node
