// Finds the control groups that this process may use.
#include "node/linux/cgroup_open.h"

#include "base/files/files.h"
#include "node/linux/cgroup_v1.h"
#include "node/linux/cgroup_v2.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

const CgroupMount* mount_of(const std::vector<CgroupMount>& mounts, std::string_view controller) {
  for (const CgroupMount& mount : mounts) {
    const auto& names = mount.controllers;
    if (std::find(names.begin(), names.end(), controller) != names.end()) return &mount;
  }
  return nullptr;
}

Result<std::unique_ptr<CgroupDriver>> open_v1(const std::vector<CgroupMount>& mounts,
                                              const std::string& name) {
  CgroupV1::Folders folders;
  for (const auto& [controller, folder] :
       {std::pair("cpu", &folders.cpu), std::pair("cpuacct", &folders.cpuacct),
        std::pair("memory", &folders.memory), std::pair("pids", &folders.pids)}) {
    const CgroupMount* mount = mount_of(mounts, controller);
    if (mount == nullptr) {
      return Error(Code::kNotFound,
                   fmt::format("the control groups of {} are not mounted", controller));
    }
    *folder = mount->point / name;
    TRY_OK(make_group(*folder));
  }
  return std::unique_ptr<CgroupDriver>(std::make_unique<CgroupV1>(std::move(folders)));
}

/// From the root down to this process's own group: the first in which groups can be made. For root
/// that is the top; for an ordinary user what systemd has delegated, such as user@1000.service.
Result<std::unique_ptr<CgroupDriver>> open_v2(const std::filesystem::path& mounted,
                                              const std::string& own, const std::string& name) {
  std::filesystem::path folder = mounted;
  std::filesystem::path below = std::filesystem::path(parse_own_group(own)).relative_path();
  Result<> outcome;
  for (auto part = below.begin();; ++part) {
    outcome = make_group(folder / name);
    if (outcome) outcome = pass_controllers_on(folder);
    if (outcome) outcome = pass_controllers_on(folder / name);
    if (outcome) return std::unique_ptr<CgroupDriver>(std::make_unique<CgroupV2>(folder / name));
    (void)remove_group(folder / name);
    if (part == below.end()) return std::move(outcome).error();
    folder /= *part;
  }
}

}  // namespace

Result<std::unique_ptr<CgroupDriver>> open_cgroups_of(const std::vector<CgroupMount>& mounts,
                                                      const std::string& own,
                                                      const std::string& name) {
  // Where both are mounted, each controller belongs to one of them.
  if (mount_of(mounts, "memory") != nullptr) return open_v1(mounts, name);
  const auto unified = std::find_if(mounts.begin(), mounts.end(),
                                    [](const CgroupMount& mount) { return mount.unified; });
  if (unified == mounts.end()) return Error(Code::kNotFound, "no control groups are mounted");
  return open_v2(unified->point, own, name);
}

Result<std::unique_ptr<CgroupDriver>> open_cgroups(const std::string& name) {
  TRY(const std::string mountinfo, read_file("/proc/self/mountinfo"));
  TRY(const std::string own, read_file("/proc/self/cgroup"));
  return open_cgroups_of(parse_cgroup_mounts(mountinfo), own, name);
}

}  // namespace trainyard::node
