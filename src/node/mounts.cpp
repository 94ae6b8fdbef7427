#include "node/mounts.h"

#include "node/volume_files.h"
#include "object/metadata.h"
#include "object/quantity.h"

#include <fmt/format.h>

namespace trainyard::node {
namespace {

const Json* find_volume(const Json& pod, std::string_view name) {
  for (const Json& volume : array_at(pod, "spec.volumes")) {
    if (string_at(volume, "name") == name) return &volume;
  }
  return nullptr;
}

Mount empty_folder(const Json& pod, const Json& volume, const Paths& paths) {
  Mount mount;
  if (string_at(volume, "emptyDir.medium") == "Memory") {
    mount.type = Mount::Type::kTmpfs;
    if (const Json* limit = find(volume, "emptyDir.sizeLimit")) {
      if (auto size = Quantity::parse(*limit)) mount.size = size->as_integer();
    }
    return mount;
  }
  mount.source = paths.pod_volume(std::string(uid_of(pod)), std::string(string_at(volume, "name")));
  mount.make_source = true;
  return mount;
}

/// The path below a volume that a mount asks for. What leads out of the volume is refused here, and
/// links that do by the shim.
Result<std::string> sub_path_of(const Json& wanted, const Variables& variables) {
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
                       const FindClaim& find_claim) {
  const std::string name(string_at(volume, "name"));
  if (const auto claim = string_at(volume, "persistentVolumeClaim.claimName"); !claim.empty()) {
    TRY(const ClaimFolder folder, find_claim(std::string(claim)));
    Mount mount;
    mount.source = folder.path;
    mount.read_only = folder.read_only || bool_at(volume, "persistentVolumeClaim.readOnly");
    return mount;
  }
  if (find(volume, "emptyDir") != nullptr) return empty_folder(pod, volume, paths);
  if (const auto path = string_at(volume, "hostPath.path"); !path.empty()) {
    Mount mount;
    mount.source = path;
    mount.host_type = string_at(volume, "hostPath.type");
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
                                       const FindClaim& find_claim, const Variables& variables) {
  std::vector<Mount> mounts;
  mounts.push_back(
      {Mount::Type::kBind, paths.hosts(std::string(uid_of(pod))), "/etc/hosts", false, 0, false});
  // Of the container's own, below a volume that it may mount there itself.
  mounts.push_back({Mount::Type::kTmpfs, "", "/dev/shm", false, 0, false});
  const std::filesystem::path own =
      paths.container(std::string(uid_of(pod)), std::string(string_at(container, "name")));
  const bool read_only = bool_at(container, "securityContext.readOnlyRootFilesystem");
  mounts.push_back({Mount::Type::kBind, own / "tmp", "/tmp", read_only, 0, true});
  for (const Json& wanted : array_at(container, "volumeMounts")) {
    const Json* volume = find_volume(pod, string_at(wanted, "name"));
    if (volume == nullptr) {
      return Error(Code::kInvalid,
                   fmt::format("the pod has no volume {}", string_at(wanted, "name")));
    }
    TRY(Mount mount, plan_one(pod, *volume, paths, find_claim));
    mount.volume = string_at(wanted, "name");
    TRY(mount.sub_path, sub_path_of(wanted, variables));
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
