#include "node/images/image_environment.h"

#include "base/files/files.h"

#include <fmt/format.h>

#include <sstream>

namespace trainyard::node {
namespace {

using contract::ImageMap;

/// In a root that is not the host's.
constexpr const char* kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool is_on(const std::string& path, const char* name,
           const std::function<bool(const std::filesystem::path&)>& has_program) {
  std::istringstream folders(path);
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    if (!folder.empty() && has_program(std::filesystem::path(folder) / name)) return true;
  }
  return false;
}

std::string words_for(const std::string& image, const std::optional<ImageMap>& map) {
  if (!map) {
    return fmt::format(
        "Image \"{}\" is not on this machine: the container runs in the host's "
        "environment",
        image);
  }
  if (map->kind == ImageMap::Kind::kHost) {
    return fmt::format("Image \"{}\" is mapped to the host's environment", image);
  }
  return fmt::format("Image \"{}\" is mapped to the {} {}", image, kind_name(map->kind),
                     map->folder);
}

}  // namespace

ImageEnvironment make_image_environment(
    const std::string& image, const std::optional<ImageMap>& map, const std::string& path,
    const std::function<bool(const std::filesystem::path&)>& has_program) {
  ImageEnvironment environment;
  environment.told = words_for(image, map);
  std::string own_path = path;
  const auto lacks = [&](const std::string& where) {
    return !is_on(where, "python", has_program) || !is_on(where, "torchrun", has_program);
  };
  if (map && map->kind == ImageMap::Kind::kRootfs) {
    environment.root_tree = map->folder;
    own_path = kUsualPath;
    const auto in_tree = [&](const std::filesystem::path& program) {
      return has_program(map->folder / program.relative_path());
    };
    environment.needs_tools =
        !is_on(own_path, "python", in_tree) || !is_on(own_path, "torchrun", in_tree);
    if (environment.needs_tools) own_path += fmt::format(":{}", kToolsPath);
  } else if (map && map->kind != ImageMap::Kind::kHost) {
    const std::string programs = map->folder + "/bin";
    environment.needs_tools = lacks(programs);
    // Before the host's programs: its torchrun would run the host's python.
    own_path = fmt::format("{}:{}{}", programs,
                           environment.needs_tools ? std::string(kToolsPath) + ":" : "", path);
    environment.variables.emplace_back(
        map->kind == ImageMap::Kind::kVenv ? "VIRTUAL_ENV" : "CONDA_PREFIX", map->folder);
  } else if (lacks(path)) {
    environment.needs_tools = true;
    own_path += fmt::format(":{}", kToolsPath);
  }
  environment.variables.insert(environment.variables.begin(), {"PATH", own_path});
  if (map) {
    environment.variables.insert(environment.variables.end(), map->variables.begin(),
                                 map->variables.end());
  }
  return environment;
}

Result<> write_tools(const std::filesystem::path& folder) {
  TRY_OK(make_folders(folder, 0755));
  TRY_OK(write_file_unsynced(folder / "python", "#!/bin/sh\nexec python3 \"$@\"\n", 0755));
  return write_file_unsynced(folder / "torchrun",
                             "#!/bin/sh\nexec python3 -m torch.distributed.run \"$@\"\n", 0755);
}

}  // namespace trainyard::node
