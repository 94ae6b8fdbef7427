#include "node/volumes/volume_sources.h"

#include "base/files/beneath.h"
#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/files/unique_fd.h"
#include "node/volumes/memory_folder.h"
#include "node/volumes/volume_folder.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

struct HostType {
  std::string_view name;
  mode_t kind;
  const char* words;
};
constexpr std::array<HostType, 7> kHostTypes = {{
    {"Directory", S_IFDIR, "a directory"},
    {"DirectoryOrCreate", S_IFDIR, "a directory"},
    {"File", S_IFREG, "a file"},
    {"FileOrCreate", S_IFREG, "a file"},
    {"Socket", S_IFSOCK, "a socket file"},
    {"CharDevice", S_IFCHR, "a character device"},
    {"BlockDevice", S_IFBLK, "a block device"},
}};

Error not_set_up(const Mount& mount, const std::string& why) {
  return Error(Code::kUnavailable,
               fmt::format("MountVolume.SetUp failed for volume \"{}\" : {}", mount.volume, why));
}

Result<> make_host_path(const Mount& mount) {
  if (mount.host_type != "FileOrCreate") return make_folders(mount.source, 0755);
  const UniqueFd made(::open(mount.source.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  return made.valid() ? Result<>(Ok()) : io_error("creating", mount.source, errno);
}

/// A folder of the pod's own, for whoever its containers run as. What is made in it belongs to the
/// pod's group, when there is one.
Result<> make_own_folder(const Mount& mount, const std::optional<std::int64_t>& group) {
  const std::string& folder = mount.source;
  TRY_OK(make_folders(folder, 0755));
  if (mount.in_memory && ::geteuid() == 0) TRY_OK(mount_memory(folder, mount.size));
  if (group && ::chown(folder.c_str(), static_cast<uid_t>(-1), static_cast<gid_t>(*group)) != 0) {
    return io_error("giving to the fsGroup", folder, errno);
  }
  if (::chmod(folder.c_str(), group ? 02777 : 01777) != 0) {
    return io_error("opening up", folder, errno);
  }
  return Ok();
}

/// Folders that are missing are made, unless the volume is not to be changed.
Result<> make_sub_path(const Mount& mount) {
  const UniqueFd volume(::open(mount.source.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!volume.valid()) return io_error("opening volume", mount.source, errno);
  auto found = open_beneath(volume.get(), mount.sub_path, O_PATH);
  if (found) return Ok();
  Error cause = std::move(found).error();
  if (cause.code() == Code::kNotFound && mount.fixed) {
    return Error(Code::kUnavailable,
                 fmt::format("the subPath {} does not exist in volume {}, which is read-only",
                             mount.sub_path, mount.volume));
  }
  if (cause.code() == Code::kNotFound) {
    auto made = make_folders_beneath(volume.get(), mount.sub_path);
    if (made) return Ok();
    cause = std::move(made).error();
  }
  if (cause.code() != Code::kInvalid) return cause;
  return Error(Code::kInvalid, fmt::format("the subPath {} leads out of its volume {}",
                                           mount.sub_path, mount.source));
}

/// The shim would find it out, too late: the container would have been started, and failed.
Result<> check_there(const Mount& mount) {
  struct stat status{};
  if (::stat(mount.source.c_str(), &status) == 0) return Ok();
  if (mount.may_be_made && errno == ENOENT) {
    auto made = make_host_path(mount);
    if (made) return Ok();
    return not_set_up(mount, made.error().message());
  }
  if (errno == ENOENT) {
    return not_set_up(mount, mount.source + " does not exist on this machine");
  }
  return not_set_up(mount, io_error("looking at", mount.source, errno).message());
}

}  // namespace

Result<> check_host_path(const Mount& mount) {
  for (const HostType& type : kHostTypes) {
    if (mount.host_type != type.name) continue;
    struct stat status{};
    const bool creates = type.name.ends_with("OrCreate");
    if (creates && ::stat(mount.source.c_str(), &status) != 0) {
      if (auto made = make_host_path(mount); !made) {
        return not_set_up(mount, made.error().message());
      }
    }
    if (::stat(mount.source.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == type.kind) {
      return Ok();
    }
    return not_set_up(
        mount, fmt::format("hostPath type check failed: {} is not {}", mount.source, type.words));
  }
  return mount.of_machine ? check_there(mount) : Result<>(Ok());
}

Result<> prepare_source(const Mount& mount, const std::optional<std::int64_t>& group) {
  // A server that died between making a folder and mounting memory in it has left the former.
  if (mount.make_source && (mount.in_memory || !is_there(mount.source))) {
    TRY_OK(make_own_folder(mount, group));
  }
  // Folders of others are never changed, whatever the pod says.
  if (mount.ours && group && !mount.fixed && ::geteuid() == 0) {
    TRY_OK(give_to_fs_group(mount.source, *group));
  }
  return mount.sub_path.empty() ? Result<>(Ok()) : make_sub_path(mount);
}

}  // namespace trainyard::node
