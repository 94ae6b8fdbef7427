#pragma once

#include "base/result.h"
#include "object/json/json.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard::contract {

// What images mean on a node that runs processes: `trainyard image map` writes it down, the node
// reads it. All maps are in one ConfigMap, in the order in which they were made.

inline constexpr const char* kImageMapsNamespace = "kube-system";
inline constexpr const char* kImageMapsName = "trainyard-images";

/// How an image that was unpacked wants to be run, where a pod does not say it. Empty: it does not.
struct ImageConfig {
  std::vector<std::string> entrypoint;
  std::vector<std::string> command;  // behind the entrypoint: Cmd
  std::string working_dir;
  std::string user;  // 1000, 1000:50, app, app:staff
  bool operator==(const ImageConfig&) const = default;
};

/// One line of `trainyard image list`.
struct ImageMap {
  enum class Kind : std::uint8_t { kHost, kVenv, kConda, kRootfs };
  std::string pattern;  // fnmatch, over the image with and without its tag; * also matches / and :
  Kind kind = Kind::kHost;
  std::string folder;  // unless kHost
  std::vector<std::pair<std::string, std::string>> variables;
  ImageConfig config = {};  // of a kRootfs
  bool operator==(const ImageMap&) const = default;
};
/// host, venv, conda, rootfs.
const char* kind_name(ImageMap::Kind kind);

/// For people and programs: an array of objects.
Json list_image_maps(const std::vector<ImageMap>& maps);
/// The ConfigMap's data, and back. What cannot be read is left out.
Json write_image_maps(const std::vector<ImageMap>& maps);
std::vector<ImageMap> read_image_maps(const Json& config_map);

/// The last map whose pattern the image matches; nothing when none does.
std::optional<ImageMap> find_image_map(const std::vector<ImageMap>& maps, const std::string& image);
/// registry:5000/name:tag@sha256:… without what stands behind the name.
std::string without_tag(std::string_view image);

}  // namespace trainyard::contract
