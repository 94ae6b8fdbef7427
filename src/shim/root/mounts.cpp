#include "shim/root/mounts.h"

#include "shim/root/devices.h"
#include "shim/root/mount_calls.h"
#include "shim/root/mount_table.h"

#include <algorithm>
#include <fcntl.h>
#include <string_view>
#include <sys/mount.h>
#include <unistd.h>
#include <utility>

namespace trainyard::shim {
namespace {

/// A job that shares the volume may have put a link in the way: none that leads out is followed.
/// `path`: where it is on the host, without links.
Fd open_source(const Bind& bind, std::string& path) {
  Fd source(::open(bind.source.c_str(), O_PATH | O_CLOEXEC));
  if (source.valid() && !bind.sub_path.empty()) {
    source = open_beneath(source.get(), bind.sub_path.c_str());
  }
  if (!source.valid()) return {};
  path = path_of(source);
  // By its path where there is one: what is mounted when somebody comes is mounted then.
  if (bind.sub_path.empty()) return clone_tree(AT_FDCWD, bind.source.c_str());
  return clone_tree(source.get(), "", AT_EMPTY_PATH);
}

MaybeFailure open_bind(const Bind& bind, Volume& volume) {
  volume.target = bind.target;
  volume.name = "volume " + bind.source;
  volume.writable = !bind.read_only;
  volume.tree = open_source(bind, volume.source);
  if (!volume.tree.valid()) {
    if (errno == EXDEV || errno == ELOOP) {
      return Failure{"the subPath " + bind.sub_path + " leads out of its volume " + bind.source};
    }
    if (errno == ENOENT || errno == ENOTDIR) {
      return Failure{"volume source " + bind.source + " does not exist"};
    }
    if (errno == ENOSYS) return errno_failure("volumes need Linux 5.12 or newer");
    return errno_failure("volume source " + bind.source + " cannot be opened");
  }
  volume.folder = is_folder(volume.tree);
  // Who mounts devices names them; other volumes are written by jobs, and unpacked from archives.
  bool devices = is_at_or_below(bind.source, "/dev");
  if (!make_private(volume.tree) || (!devices && !make_deviceless(volume.tree))) {
    return errno_failure(volume.name);
  }
  if (bind.read_only && !make_read_only(volume.tree, Reach::kAll)) {
    return errno_failure("volume " + bind.source + " cannot be made read-only");
  }
  return std::nullopt;
}

MaybeFailure open_tmpfs(const Tmpfs& tmpfs, Volume& volume) {
  volume.target = tmpfs.target;
  volume.name = "tmpfs";
  // For tmpfs, size 0 would mean no limit at all.
  volume.tree =
      tmpfs.bytes == 0
          ? new_filesystem("tmpfs", {{"mode", "1777"}})
          : new_filesystem("tmpfs", {{"mode", "1777"}, {"size", std::to_string(tmpfs.bytes)}});
  if (!volume.tree.valid()) return errno_failure("tmpfs for " + tmpfs.target);
  return std::nullopt;
}

auto depth(std::string_view path) {
  return std::count(path.begin(), path.end(), '/');
}

/// Behind those that are not deeper: of two for one target, the later stays on top.
void insert_by_depth(Volume volume, std::vector<Volume>& volumes) {
  auto place = std::upper_bound(
      volumes.begin(), volumes.end(), volume,
      [](const Volume& a, const Volume& b) { return depth(a.target) < depth(b.target); });
  volumes.insert(place, std::move(volume));
}

/// Outer targets come first, so that no volume covers another one inside it.
MaybeFailure open_all(const Spec& spec, std::vector<Volume>& volumes) {
  for (const Tmpfs& tmpfs : spec.tmpfs) {
    Volume volume;
    if (auto failure = open_tmpfs(tmpfs, volume)) return failure;
    insert_by_depth(std::move(volume), volumes);
  }
  for (const Bind& bind : spec.binds) {
    Volume volume;
    if (auto failure = open_bind(bind, volume)) return failure;
    insert_by_depth(std::move(volume), volumes);
  }
  return std::nullopt;
}

MaybeFailure attach_all(const std::vector<Volume>& volumes, const HiddenFolders& hidden,
                        MountPoints& points) {
  for (const Volume& volume : volumes) {
    Fd point;
    if (auto failure = points.open(volume.target, volume.folder, point)) return failure;
    if (volume.folder != is_folder(point)) {
      return Failure{volume.name + " is a " + (volume.folder ? "folder" : "file") +
                     ", but mountPath " + volume.target + " is not: use another mountPath"};
    }
    if (!attach(volume.tree, point)) {
      return errno_failure(volume.name + " cannot be mounted at " + volume.target);
    }
    if (auto failure = hidden.cover_in(volume.tree, volume.source)) return failure;
    if (volume.writable) points.allow(volume.tree);
  }
  return std::nullopt;
}

/// Behind the volumes: it may be in one.
MaybeFailure make_cwd(const Spec& spec, MountPoints& points) {
  Fd folder;
  if (!spec.make_cwd) return std::nullopt;
  if (auto failure = points.open(spec.cwd, true, folder)) {
    return Failure{"workingDir " + spec.cwd + " cannot be made: " + failure->message};
  }
  return std::nullopt;
}

MaybeFailure cover_masks(std::vector<std::string> masks, MountPoints& points) {
  std::sort(masks.begin(), masks.end());  // outer folders before those in them
  for (const std::string& mask : masks) {
    Fd folder(::open(mask.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    // What is not there, or below another mask, needs no hiding.
    if (!folder.valid() && (errno == ENOENT || errno == ENOTDIR)) continue;
    Fd cover = folder.valid() ? new_filesystem("tmpfs", {{"mode", "0755"}}) : Fd();
    if (!cover.valid() || !attach(cover, folder)) {
      return errno_failure("folder " + mask + " cannot be hidden from the container");
    }
    points.allow(cover);
    points.seal_later(std::move(cover));
  }
  return std::nullopt;
}

/// Through these root could change or stop the whole machine; capabilities do not guard them.
constexpr const char* kUntouched[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus",
                                      "/proc/fs",  "/proc/dynamic_debug", "/sys"};
/// What tells of the machine's memory, keys and hardware, or changes them.
constexpr const char* kUnseen[] = {
    "/proc/acpi",       "/proc/asound",        "/proc/kcore",          "/proc/key-users",
    "/proc/keys",       "/proc/latency_stats", "/proc/sched_debug",    "/proc/scsi",
    "/proc/timer_list", "/proc/timer_stats",   "/sys/firmware",        "/sys/fs/bpf",
    "/sys/fs/pstore",   "/sys/kernel/debug",   "/sys/kernel/security", "/sys/kernel/tracing"};

bool make_part_read_only(const char* path) {
  Fd part(::open(path, O_PATH | O_CLOEXEC));
  if (!part.valid()) return errno == ENOENT;
  // A mount of its own; otherwise it becomes one.
  if (make_read_only(part, Reach::kAll)) return true;
  Fd tree = clone_tree(AT_FDCWD, path);
  return tree.valid() && make_read_only(tree, Reach::kAll) && attach(tree, part);
}

/// An empty folder or file instead.
bool hide_part(const char* path) {
  Fd part(::open(path, O_PATH | O_CLOEXEC));
  if (!part.valid()) return errno == ENOENT || errno == EACCES;
  Fd cover = is_folder(part) ? new_filesystem("tmpfs", {{"mode", "0555"}})
                             : clone_tree(AT_FDCWD, "/dev/null");
  return cover.valid() && make_read_only(cover, Reach::kOne) && attach(cover, part);
}

void protect_kernels_files(std::vector<std::string>& notes) {
  for (const char* part : kUnseen) {
    if (!hide_part(part)) notes.push_back(errno_failure(part).message);
  }
  for (const char* part : kUntouched) {
    if (!make_part_read_only(part)) notes.push_back(errno_failure(part).message);
  }
}

/// A /proc of the new PID namespace, over the host's. Where the kernel refuses (a container around
/// us has covered parts of its own), the host's also works, though it shows the host's processes.
void mount_proc(std::vector<std::string>& notes) {
  Fd proc = new_filesystem("proc", {});
  if (!proc.valid() || !attach_at(proc, AT_FDCWD, "/proc")) {
    notes.push_back(errno_failure("proc").message);
  }
}

/// Not `is_private`: it is the host's. Notes say what became of the private one. Another tree than
/// the host's is had or not: a container must not find itself in a root that is not meant.
MaybeFailure build_root(const Spec& spec, const HiddenFolders& hidden, PrivateRoot& root,
                        bool& is_private, std::vector<std::string>& notes) {
  is_private = false;
  if (!spec.root) return std::nullopt;
  auto failure = root.build_layer(*spec.root, hidden.paths(), spec.read_only_root, notes);
  if (failure && !spec.root->is_over_host()) {
    return Failure{"the root " + spec.root->lower + " cannot be used: " + failure->message};
  }
  if (failure) {
    notes.push_back(failure->message);
    failure = root.build_mirror(spec.read_only_root, notes);
  }
  if (failure) notes.push_back(failure->message);
  is_private = !failure;
  return std::nullopt;
}

}  // namespace

MaybeFailure Mounts::prepare(const Spec& spec, std::vector<std::string>& notes) {
  // Nothing that follows may reach the host; what the host mounts later may come in.
  if (::mount(nullptr, "/", nullptr, MS_SLAVE | MS_REC, nullptr) != 0) {
    return errno_failure("mounts cannot be made private");
  }
  if (auto failure = hidden_.find(spec.masks)) return failure;
  std::string lower;  // of an image: a folder above those that are hidden may be its root
  if (spec.root && !spec.root->is_over_host()) {
    lower = path_of(Fd(::open(spec.root->lower.c_str(), O_PATH | O_CLOEXEC)));
  }
  if (auto failure = build_root(spec, hidden_, root_, is_private_, notes)) return failure;
  points_ = MountPoints(is_private_);
  if (is_private_) {
    host_ = Fd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!host_.valid()) return errno_failure("/");
    if (auto failure = root_.enter()) return failure;
    if (auto failure = hidden_.cover_in(root_.mount(), lower)) return failure;
    points_.allow(root_.mount());
  }
  // While the old root is there: in a user namespace a new proc needs an old one to compare with.
  mount_proc(notes);
  protect_kernels_files(notes);
  if (spec.own_devices) {
    if (auto failure = set_up_devices(points_, notes)) return failure;
  }
  // In the host's own root a mask would hide the volumes' sources, too.
  if (!is_private_) return std::nullopt;
  if (auto failure = cover_masks(hidden_.paths(), points_)) return failure;
  for (const std::string& target : spec.points) {
    Fd point;
    if (auto failure = points_.open(target, true, point)) return failure;
  }
  return std::nullopt;
}

MaybeFailure Mounts::visit_host() {
  if (!is_private_) return std::nullopt;
  if (::fchdir(host_.get()) == 0 && ::chroot(".") == 0) return std::nullopt;
  return errno_failure("the host's root cannot be entered again");
}

MaybeFailure Mounts::leave_host() {
  return is_private_ ? root_.come_back() : std::nullopt;
}

MaybeFailure Mounts::open_volumes(const Spec& spec) {
  return open_all(spec, volumes_);
}

MaybeFailure Mounts::attach_volumes(const Spec& spec) {
  if (is_private_) {
    host_.reset();
    if (auto failure = root_.leave_old_root()) return failure;
    // What a job writes beside its volumes would fill the memory, and be lost.
    if (root_.is_mirror() || spec.read_only_root) points_.seal_later(root_.take_mount());
  } else if (auto failure = cover_masks(hidden_.paths(), points_)) {
    return failure;
  }
  if (auto failure = attach_all(volumes_, hidden_, points_)) return failure;
  if (auto failure = make_cwd(spec, points_)) return failure;
  return points_.seal();
}

}  // namespace trainyard::shim
