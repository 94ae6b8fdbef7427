#pragma once

#include "contract/image_map.h"
#include "node/capacity.h"
#include "node/config.h"
#include "node/pod_facts.h"
#include "node/variables.h"
#include "node/volumes/config_objects.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard::node {

/// Where a container's variables come from.
struct EnvironmentSources {
  const Json& pod;
  const Json& container;
  const PodFacts& facts;
  const NodeConfig& config;
  const Capacity& capacity;
  FindConfig find_config;
  std::string home;
  Variables image;  // what its image brings; PATH among them
};

/// A container's environment: what every process needs, then envFrom, then the container's own
/// variables, each with $(NAME) replaced by what stands before it. kNotFound names a ConfigMap,
/// Secret or key that is missing, kInvalid a variable that cannot have a value.
Result<Variables> make_environment(const EnvironmentSources& sources);

/// What a container runs: its command and args with $(NAME) replaced. What it does not say its
/// image may: args stand behind the image's entrypoint, a command leaves nothing of the image's.
Result<std::vector<std::string>> make_command(const Json& container, const Variables& variables,
                                              const std::optional<contract::ImageMap>& image);

}  // namespace trainyard::node
