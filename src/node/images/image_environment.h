#pragma once

#include "contract/image_map.h"
#include "node/variables.h"

#include <filesystem>
#include <string>

namespace trainyard::node {

/// What a container's image means on this machine.
struct ImageEnvironment {
  Variables variables;  // below the container's own; PATH among them
  std::string told;     // for the event that says what was made of the image
  bool needs_tools = false;
  std::string root_tree;  // empty: the host's root
  std::string home;
};

/// Where a container finds what write_tools() writes: behind the programs of its environment.
inline constexpr const char* kToolsPath = "/opt/trainyard/bin";

/// The environment of a mapped image, or of the host without a map. `path` is the host's PATH;
/// `has_program` tells whether a folder has a program of that name.
ImageEnvironment make_image_environment(
    const std::string& image, const std::optional<contract::ImageMap>& map, const std::string& path,
    const std::function<bool(const std::filesystem::path&)>& has_program);

/// Writes `python` and `torchrun` for environments that have only python3: scripts that call it.
Result<> write_tools(const std::filesystem::path& folder);

}  // namespace trainyard::node
