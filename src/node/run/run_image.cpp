#include "node/run/run_image.h"

#include "base/files/beneath.h"
#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "node/images/python_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;
using contract::ImageMap;

std::optional<ImageMap> map_of(const RunContext& context) {
  const ObjectPtr maps = context.configs.find(
      ConfigKind::kConfigMap, Key{contract::kImageMapsNamespace, contract::kImageMapsName});
  if (maps == nullptr) return std::nullopt;
  return contract::find_image_map(contract::read_image_maps(maps->body()),
                                  std::string(string_at(context.container, "image")));
}

Error no_image(std::string_view image, const std::string& cause) {
  return Error(Code::kUnavailable, fmt::format("Failed to pull image \"{}\": {}", image, cause));
}

bool lies_in(const fs::path& inner, const fs::path& outer) {
  std::error_code failed;
  const fs::path path = fs::weakly_canonical(inner, failed);
  const fs::path above = fs::weakly_canonical(outer, failed);
  const auto [end, rest] = std::mismatch(above.begin(), above.end(), path.begin(), path.end());
  return end == above.end();
}

/// A table of users, empty when there is none. One that is no table of any sensible size is an
/// error: what is cut off would make somebody else of a user.
Result<std::string> read_table(int root, const char* name) {
  constexpr off_t kMost = 1 << 20;
  auto file = open_in_root(root, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (file.failed_with(Code::kNotFound)) return std::string();
  if (!file) return std::move(file).error().within("the image's users");
  struct stat status{};
  if (::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMost) {
    return Error(Code::kUnavailable,
                 fmt::format("the image's /{} is no file of at most 1 MiB", name));
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = ::read(file->get(), text.data(), text.size());
  if (got < 0) return io_error("reading", name, errno);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

bool is_program(const fs::path& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

void mount_read_only(const fs::path& source, const std::string& target, RunSpec& spec) {
  Mount mount;
  mount.source = source;
  mount.target = target;
  mount.read_only = true;
  spec.mounts.push_back(std::move(mount));
}

/// How names are resolved is the machine's affair, also in another root.
void add_resolver(const std::string& tree, RunSpec& spec) {
  constexpr const char* kFile = "/etc/resolv.conf";
  std::error_code failed;
  const fs::path source = fs::canonical(kFile, failed);
  // Over a link the mount could go anywhere in the tree.
  if (failed || fs::is_symlink(tree + kFile, failed)) return;
  mount_read_only(source, kFile, spec);
}

/// The container's own /tmp, and what is hidden from it, would cover an environment that lies
/// there.
bool would_be_covered(const RunContext& context, const std::string& folder) {
  const bool in_data = lies_in(folder, context.paths.data_dir());
  return (in_data || lies_in(folder, "/tmp")) && !lies_in(context.paths.data_dir(), folder);
}

}  // namespace

Result<> check_image(const RunContext& context, RunSpec& spec) {
  const std::string_view image = string_at(context.container, "image");
  spec.image = map_of(context);
  const auto& map = spec.image;
  if (!map && context.config.strict_images) {
    return no_image(image,
                    fmt::format("it is not on this machine, and the server was started with "
                                "--strict-images; `trainyard image map '{}' --venv DIR` says what "
                                "it means",
                                image));
  }
  if (!map || map->folder.empty()) return Ok();
  if (!is_folder(map->folder)) {
    return no_image(image, fmt::format("it is mapped to the {} {}, which is not there",
                                       kind_name(map->kind), map->folder));
  }
  // What is hidden is hidden at its place in the host's root, and would be seen at another.
  if (map->kind != ImageMap::Kind::kRootfs || map->folder == "/" ||
      !lies_in(context.paths.data_dir(), map->folder)) {
    return Ok();
  }
  return no_image(image, fmt::format("it is mapped to the rootfs {}, in which the server's data "
                                     "folder lies",
                                     map->folder));
}

Result<std::optional<ImageUsers>> read_image_users(const RunSpec& spec) {
  if (!spec.image || spec.image->kind != ImageMap::Kind::kRootfs)
    return std::optional<ImageUsers>();
  const std::string& tree = spec.image->folder;
  const UniqueFd root(::open(tree.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return io_error("opening", tree, errno);
  ImageUsers users;
  users.wanted = spec.image->config.user;
  TRY(users.passwd, read_table(root.get(), "etc/passwd"));
  TRY(users.group, read_table(root.get(), "etc/group"));
  return std::optional(std::move(users));
}

ImageEnvironment fill_image(const RunContext& context, RunSpec& spec) {
  const auto& map = spec.image;
  ImageEnvironment image = make_image_environment(
      std::string(string_at(context.container, "image")), map, context.config.path, is_program);
  image.home = spec.identity.home.value_or(context.config.home);
  if (!image.root_tree.empty()) {
    const bool has_home = is_folder(image.root_tree + "/root");
    image.home = spec.identity.home.value_or(has_home ? "/root" : "/");
    add_resolver(image.root_tree, spec);
    spec.root_tree = image.root_tree;
  } else if (map && !map->folder.empty() && would_be_covered(context, map->folder)) {
    mount_read_only(map->folder, map->folder, spec);
  }
  mount_read_only(context.paths.tools(), kToolsPath, spec);
  spec.image_told = image.told;
  return image;
}

}  // namespace trainyard::node
