#include "shim/root/namespaces.h"

#include "shim/files.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

bool write_proc(const char* path, const std::string& text) {
  Fd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file.valid() && write_all(file.get(), text);
}

/// An ordinary user needs a user namespace for the others; in it everyone keeps their own id.
bool map_ids(uid_t uid, gid_t gid) {
  std::string user = std::to_string(uid);
  std::string group = std::to_string(gid);
  return write_proc("/proc/self/setgroups", "deny") &&
         write_proc("/proc/self/uid_map", user + " " + user + " 1") &&
         write_proc("/proc/self/gid_map", group + " " + group + " 1");
}

/// A setting of the kernel that keeps user namespaces from ordinary users.
struct Obstacle {
  const char* file;
  char value;  // with which it is one
  const char* remedy;
};
constexpr Obstacle kObstacles[] = {
    {"/proc/sys/kernel/unprivileged_userns_clone", '0', "kernel.unprivileged_userns_clone=1"},
    {"/proc/sys/user/max_user_namespaces", '0', "user.max_user_namespaces=10000"},
    {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1',
     "kernel.apparmor_restrict_unprivileged_userns=0"},
};

std::string advice(bool is_root) {
  if (is_root) return "root needs the capability CAP_SYS_ADMIN (in Docker: --privileged)";
  std::string commands;
  for (const Obstacle& obstacle : kObstacles) {
    auto text = read_file(AT_FDCWD, obstacle.file);
    if (!text || text->substr(0, text->find('\n')) != std::string(1, obstacle.value)) continue;
    commands += std::string(commands.empty() ? "" : " ") + obstacle.remedy;
  }
  if (commands.empty()) return "allow user namespaces on this machine, or run the server as root";
  return "allow them with `sysctl -w " + commands + "`, or run the server as root";
}

/// " for the volumes at /a, /b", to say what a job goes without.
std::string purpose(const Spec& spec) {
  std::string targets;
  auto add = [&](const std::string& target) {
    targets += (targets.empty() ? " for the volumes at " : ", ") + target;
  };
  for (const Bind& bind : spec.binds) add(bind.target);
  for (const Tmpfs& tmpfs : spec.tmpfs) add(tmpfs.target);
  return targets;
}

}  // namespace

MaybeFailure make_namespaces(const Spec& spec) {
  uid_t uid = ::geteuid();
  gid_t gid = ::getegid();
  int kinds = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWPID | (uid == 0 ? 0 : CLONE_NEWUSER) |
              (spec.own_network ? CLONE_NEWNET : 0);
  if (::unshare(kinds) == 0 && (uid == 0 || map_ids(uid, gid))) return std::nullopt;
  Failure failure =
      errno_failure(std::string("mount, UTS") + (spec.own_network ? ", network" : "") +
                    " and PID namespaces" + purpose(spec) + " cannot be made");
  failure.message += "; " + advice(uid == 0);
  return failure;
}

}  // namespace trainyard::shim
