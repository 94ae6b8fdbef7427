#include "shim/root/devices.h"

#include "shim/root/mirror.h"
#include "shim/root/mount_calls.h"

#include <array>
#include <fcntl.h>
#include <string_view>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace trainyard::shim {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 5> kLinks = {{
    {"fd", "/proc/self/fd"},
    {"stdin", "/proc/self/fd/0"},
    {"stdout", "/proc/self/fd/1"},
    {"stderr", "/proc/self/fd/2"},
    {"ptmx", "pts/ptmx"},
}};

/// Which entries of the host's /dev a container sees.
bool is_shared_device(std::string_view name) {
  for (std::string_view known : {"null", "zero", "full", "random", "urandom", "tty", "fuse"}) {
    if (name == known) return true;
  }
  // By the beginnings of their names: nvidia0, nvidia-uvm, davinci3, …
  for (std::string_view known : {"nvidia", "dri", "kfd", "accel", "davinci", "devmm_svm",
                                 "hisi_hdc", "infiniband", "gdrdrv"}) {
    if (name.starts_with(known)) return true;
  }
  return false;
}

/// Where the host has its devices in its root and not in a mount of their own, they came along with
/// what has none.
void allow_device(const Fd& host, const Fd& dev, const std::string& name) {
  struct statvfs status{};
  if (::fstatvfs(host.get(), &status) != 0 || (status.f_flag & ST_NODEV) == 0) return;
  Fd device(::openat(dev.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  (void)allow_devices(device);
}

/// Terminals of its own: those of the host's users are none of its business.
bool add_terminals(const Fd& dev) {
  Fd terminals =
      new_filesystem("devpts", {{"ptmxmode", "0666"}, {"mode", "0620"}}, MOUNT_ATTR_NOSUID);
  return terminals.valid() && make_entry(dev.get(), "pts", true) &&
         attach_at(terminals, dev.get(), "pts");
}

}  // namespace

MaybeFailure set_up_devices(MountPoints& points, std::vector<std::string>& notes) {
  Fd host(::open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC));
  auto names = host.valid() ? list_entries(host.get()) : std::nullopt;
  Fd dev = names ? new_filesystem("tmpfs", {{"mode", "0755"}, {"size", "64m"}}) : Fd();
  // `host` stays open on the original below it, which is where the entries come from.
  if (!dev.valid() || !attach(dev, host)) return errno_failure("/dev cannot be made");
  for (const std::string& name : *names) {
    if (!is_shared_device(name)) continue;
    if (!mirror_entry(host.get(), dev.get(), name.c_str())) {
      notes.push_back(errno_failure("device " + name).message);
    }
    allow_device(host, dev, name);
  }
  for (const auto& [name, target] : kLinks) (void)::symlinkat(target, dev.get(), name);
  if (!add_terminals(dev)) notes.push_back(errno_failure("terminals").message);
  points.allow(dev);
  return std::nullopt;
}

}  // namespace trainyard::shim
