#pragma once

#include "cli/command/context.h"
#include "contract/image_map.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::cli {

struct ImageLoadOptions {
  std::string file;  // what `docker save` writes, or an OCI archive
  std::string name;  // empty: as the archive says
};

/// Unpacks an image below the data folder and maps its name to it.
Result<int> image_load(const Flags& flags, const ImageLoadOptions& options);

/// What an image says of how it wants to be run.
struct LoadedConfig {
  std::vector<std::string> variables;  // NAME=VALUE
  contract::ImageConfig run;
};
/// From the image's own document. Pure.
LoadedConfig read_image_config(const Json& image);
/// For people: the command as a shell would take it, then as whom and where. May be empty. Pure.
std::string describe_image_config(const contract::ImageConfig& config);

/// What skopeo calls the archive, by the names in it: docker-archive, oci-archive, or empty. Pure.
std::string archive_kind(std::string_view names);
/// The image's name, from manifest.json of the one or index.json of the other; may be empty. Pure.
std::string archive_name(const std::string& kind, const std::string& index);
/// A folder's name that says which image it is. Pure.
std::string folder_name(const std::string& image);

}  // namespace trainyard::cli
