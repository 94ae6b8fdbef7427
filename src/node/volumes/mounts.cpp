#include "node/volumes/mounts.h"

#include "node/volumes/volume_files.h"
#include "object/values/metadata.h"
#include "object/values/quantity.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace trainyard::node {
namespace {

using Volumes = std::unordered_map<std::string_view, const Json*>;

Volumes volumes_by_name(const Json& pod) {
  Volumes volumes;
  for (const Json& volume : array_at(pod, "spec.volumes")) {
    volumes.emplace(string_at(volume, "name"), &volume);
  }
  return volumes;
}

/// How many containers mount each volume.
using Users = std::unordered_map<std::string_view, int>;

Users users_of_volumes(const Json& pod) {
  Users users;
  for (const char* list : {"spec.initContainers", "spec.containers"}) {
    for (const Json& container : array_at(pod, list)) {
      std::unordered_set<std::string_view> mounted;
      for (const Json& mount : array_at(container, "volumeMounts")) {
        if (mounted.insert(string_at(mount, "name")).second) ++users[string_at(mount, "name")];
      }
    }
  }
  return users;
}

Mount empty_folder(const Json& pod, const Json& volume, const Paths& paths, const Users& users,
                   SharedMemory shared_memory) {
  const std::string name(string_at(volume, "name"));
  Mount mount;
  mount.in_memory = string_at(volume, "emptyDir.medium") == "Memory";
  if (const Json* limit = find(volume, "emptyDir.sizeLimit"); limit && mount.in_memory) {
    if (auto size = Quantity::parse(*limit)) mount.size = size->as_integer();
  }
  const auto user_count = users.find(name);
  const bool has_one_user = user_count != users.end() && user_count->second == 1;
  if (mount.in_memory && shared_memory == SharedMemory::kNo && has_one_user) {
    mount.type = Mount::Type::kTmpfs;
    return mount;
  }
  mount.source = paths.pod_volume(std::string(uid_of(pod)), name);
  mount.make_source = true;
  return mount;
}

/// The path below a volume that a mount asks for. What leads out of the volume is refused here, and
/// links that do by the shim.
Result<std::string> sub_path_of(const Json& wanted, const VariableTable& variables) {
  std::string path(string_at(wanted, "subPath"));
  if (const std::string_view pattern = string_at(wanted, "subPathExpr"); !pattern.empty()) {
    TRY(path, expand(pattern, variables));
    if (path.find("$(") != std::string::npos) {
      return Error(
          Code::kInvalid,
          fmt::format("subPathExpr {} names a variable that the container does not have", pattern));
    }
  }
  const std::filesystem::path relative(path);
  for (const auto& part : relative) {
    if (part == "..") {
      return Error(Code::kInvalid, fmt::format("subPath {} leads out of its volume", path));
    }
  }
  if (relative.is_absolute()) {
    return Error(Code::kInvalid, fmt::format("subPath {} must not be absolute", path));
  }
  return path;
}

Result<Mount> plan_one(const Json& pod, const Json& volume, const Paths& paths,
                       const FindClaim& find_claim, const Users& users,
                       SharedMemory shared_memory) {
  const std::string name(string_at(volume, "name"));
  if (const auto claim = string_at(volume, "persistentVolumeClaim.claimName"); !claim.empty()) {
    TRY(const ClaimFolder folder, find_claim(std::string(claim)));
    Mount mount;
    mount.source = folder.path;
    mount.of_machine = true;
    mount.ours = folder.path == paths.claim(std::string(namespace_of(pod)), std::string(claim));
    mount.read_only = folder.read_only || bool_at(volume, "persistentVolumeClaim.readOnly");
    return mount;
  }
  if (find(volume, "emptyDir") != nullptr) {
    return empty_folder(pod, volume, paths, users, shared_memory);
  }
  if (const auto path = string_at(volume, "hostPath.path"); !path.empty()) {
    Mount mount;
    mount.source = path;
    mount.host_type = string_at(volume, "hostPath.type");
    mount.of_machine = true;
    mount.may_be_made = mount.host_type.empty();
    return mount;
  }
  if (holds_files(volume)) {
    Mount mount;
    mount.source = paths.pod_volume(std::string(uid_of(pod)), name);
    mount.read_only = true;
    return mount;
  }
  return Error(Code::kInvalid,
               fmt::format("volume {} is of a type that this node does not have", name));
}

}  // namespace

Result<std::vector<Mount>> plan_mounts(const Json& pod, const Json& container, const Paths& paths,
                                       const FindClaim& find_claim, const Variables& variables,
                                       SharedMemory shared_memory) {
  std::vector<Mount> mounts;
  mounts.push_back(
      {Mount::Type::kBind, paths.hosts(std::string(uid_of(pod))), "/etc/hosts", false, 0, false});
  // Of the container's own, below a volume that it may mount there itself.
  mounts.push_back({Mount::Type::kTmpfs, "", "/dev/shm", false, 0, false});
  const std::filesystem::path own =
      paths.container(std::string(uid_of(pod)), std::string(string_at(container, "name")));
  const bool read_only = bool_at(container, "securityContext.readOnlyRootFilesystem");
  mounts.push_back({Mount::Type::kBind, own / "tmp", "/tmp", read_only, 0, true});
  const VariableTable table(variables);
  const Volumes volumes = volumes_by_name(pod);
  const Users users = users_of_volumes(pod);
  for (const Json& wanted : array_at(container, "volumeMounts")) {
    const auto volume = volumes.find(string_at(wanted, "name"));
    if (volume == volumes.end()) {
      return Error(Code::kInvalid,
                   fmt::format("the pod has no volume {}", string_at(wanted, "name")));
    }
    TRY(Mount mount, plan_one(pod, *volume->second, paths, find_claim, users, shared_memory));
    mount.volume = string_at(wanted, "name");
    TRY(mount.sub_path, sub_path_of(wanted, table));
    if (!mount.sub_path.empty() && mount.type == Mount::Type::kTmpfs) {
      return Error(Code::kInvalid, fmt::format("volume {} is in memory: it cannot have a subPath",
                                               string_at(wanted, "name")));
    }
    mount.target = string_at(wanted, "mountPath");
    mount.fixed = mount.read_only;
    mount.read_only = mount.read_only || bool_at(wanted, "readOnly");
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

}  // namespace trainyard::node
