#include "node/namespace_groups.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/log.h"

#include <cstdlib>
#include <filesystem>
#include <linux/capability.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

/// FNV-1a: the same on every machine and in every version.
std::uint64_t number_of(const std::string& text) {
  std::uint64_t value = 0xCBF29CE484222325U;
  for (const char byte : text) value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001B3U;
  return value;
}

/// Root in a container may have been left without.
bool has_capability(unsigned number) {
  const std::string status = read_file("/proc/self/status").value_or("");
  const std::size_t line = status.find("\nCapEff:");
  if (line == std::string::npos) return false;
  const std::uint64_t held = std::strtoull(status.c_str() + line + 8, nullptr, 16);
  return (held >> number & 1U) != 0;
}

/// In a user namespace of a container's, only some groups exist.
bool may_give_groups() {
  if (::geteuid() != 0 || !has_capability(CAP_SETGID) || !has_capability(CAP_CHOWN)) return false;
  std::istringstream maps(read_file("/proc/self/gid_map").value_or(""));
  std::int64_t inside = 0;
  std::int64_t outside = 0;
  std::int64_t count = 0;
  while (maps >> inside >> outside >> count) {
    if (inside <= kFirstNamespaceGroup &&
        kFirstNamespaceGroup + kNamespaceGroups <= inside + count) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_namespace_group(std::int64_t group) {
  return group >= kFirstNamespaceGroup && group < kFirstNamespaceGroup + kNamespaceGroups;
}

std::int64_t choose_namespace_group(const std::string& ns, const std::set<std::int64_t>& taken) {
  std::uint64_t number = number_of(ns) % kNamespaceGroups;
  while (taken.contains(kFirstNamespaceGroup + static_cast<std::int64_t>(number))) {
    number = (number + 1) % kNamespaceGroups;
  }
  return kFirstNamespaceGroup + static_cast<std::int64_t>(number);
}

void NamespaceGroups::read_kept() {
  read_ = true;
  for (const auto& entry : FolderEntries(paths_.volumes())) {
    struct stat status{};
    if (::lstat(entry.path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) continue;
    const auto group = static_cast<std::int64_t>(status.st_gid);
    if (is_namespace_group(group)) groups_[entry.path().filename()] = group;
  }
}

std::optional<std::int64_t> NamespaceGroups::of(const std::string& ns) {
  static const bool kPossible = may_give_groups();
  if (!kPossible) return std::nullopt;
  if (!read_) read_kept();
  if (const auto found = groups_.find(ns); found != groups_.end()) return found->second;
  std::set<std::int64_t> taken;
  for (const auto& [name, group] : groups_) taken.insert(group);
  return groups_[ns] = choose_namespace_group(ns, taken);
}

Result<> NamespaceGroups::keep(const std::string& ns) {
  const fs::path folder = paths_.volumes() / ns;
  TRY_OK(make_folders(folder, 0755));
  const auto group = of(ns);
  // Where the disk does not take it, nothing is shared by it, and it need not be kept.
  if (group && ::chown(folder.c_str(), static_cast<uid_t>(-1), static_cast<gid_t>(*group)) != 0) {
    log_warn("group of a namespace not kept", {{"folder", folder.string()}});
  }
  return Ok();
}

}  // namespace trainyard::node
