#pragma once

#include "client/image_map.h"
#include "node/capacity.h"
#include "node/config.h"
#include "node/config_objects.h"
#include "node/pod_status.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::node {

using Variables = std::vector<std::pair<std::string, std::string>>;

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
                                              const std::optional<client::ImageMap>& image);

/// $(NAME) becomes its value; an unknown name stays as written; $$ is a plain $. kInvalid when that
/// becomes longer than the kernel lets a word or a variable be: with forty variables that say the
/// one before them twice, it would be longer than the memory.
Result<std::string> expand(std::string_view text, const Variables& variables);
inline constexpr std::size_t kLongestWord = 128UL * 1024 - 1;

}  // namespace trainyard::node
