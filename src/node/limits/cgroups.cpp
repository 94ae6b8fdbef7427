#include "node/limits/cgroups.h"

#include "base/crypto/ids.h"
#include "base/log.h"

#include <fmt/format.h>

namespace trainyard::node {
namespace {

std::string group_of(const std::string& uid, const std::string& container, int number) {
  return fmt::format("{}/{}.{}", uid, container, number);
}

Confinement without_groups(const ContainerLimits& limits) {
  Confinement confinement;
  confinement.own_limits.push_back(fmt::format("processes:{}", limits.processes));
  if (limits.memory_bytes) {
    confinement.own_limits.push_back(fmt::format("data:{}", *limits.memory_bytes));
  }
  return confinement;
}

}  // namespace

Cgroups Cgroups::open(const std::filesystem::path& data_dir) {
  std::error_code failed;
  const auto folder = std::filesystem::weakly_canonical(data_dir, failed);
  auto driver = open_cgroups(fmt::format("trainyard-{:016x}", fnv1a(folder.string())));
  if (driver) return Cgroups(*std::move(driver));
  Cgroups none(driver.error());
  log_warn("no control groups", {{"cause", none.why_not()}});
  return none;
}

std::string Cgroups::why_not() const {
  return fmt::format(
      "CPU limits are not enforced, and memory limits only for each process by itself "
      "(RLIMIT_DATA), because of {}: run the server as root, or in a control group that is "
      "delegated to its user (systemd-run --user -p Delegate=yes)",
      why_not_);
}

Result<Confinement> Cgroups::prepare(const std::string& uid, const std::string& container,
                                     int number, const ContainerLimits& limits) {
  if (!available()) return without_groups(limits);
  if (number > 0) {
    // Its processes are gone; if the kernel thinks otherwise, it goes with the pod.
    (void)driver_->remove(group_of(uid, container, number - 1));
  }
  const std::string group = group_of(uid, container, number);
  TRY_OK(driver_->make(group, limits));
  Confinement confinement;
  confinement.cgroups = driver_->folders(group, limits);
  if (limits.memory_bytes) {
    confinement.oom_file = driver_->oom_file(group);
    confinement.memory_limit = limits.memory_text;
  }
  return confinement;
}

Result<ContainerCounters> Cgroups::counters(const std::string& uid, const std::string& container,
                                            int number) const {
  if (!available()) return Error(Code::kNotFound, why_not());
  return driver_->counters(group_of(uid, container, number));
}

Result<> Cgroups::remove_pod(const std::string& uid) {
  return available() ? driver_->remove(uid) : Ok();
}

void Cgroups::remove_others(const std::set<std::string>& known) {
  if (!available()) return;
  for (const std::string& uid : driver_->children("")) {
    if (known.contains(uid)) continue;
    if (auto removed = remove_pod(uid); !removed) {
      log_warn("control group not removed", {{"cause", removed.error().message()}});
    }
  }
}

}  // namespace trainyard::node
