#include "shim/process/credentials.h"

#include "shim/process/syscall_filter.h"

#include <array>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace trainyard::shim {
namespace {

/// What nobody gets who does not name what it wants.
constexpr std::array kDropped = {CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_SYS_MODULE,
                                 CAP_MKNOD,     CAP_SYS_RAWIO,  CAP_SYS_BOOT};
constexpr int kCapabilities = 64;

std::uint64_t kept_by(const Spec& spec) {
  std::uint64_t kept = ~std::uint64_t{0};
  for (int capability : kDropped) kept &= ~(std::uint64_t{1} << capability);
  return spec.capabilities.value_or(kept);
}

/// What an exec as root could bring back.
bool drop_bounding(std::uint64_t kept) {
  for (int capability = 0; capability < kCapabilities; ++capability) {
    if ((kept >> capability & 1) != 0) continue;
    // An error: the kernel knows no more of them.
    bool held = ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1;
    // An ordinary user may not lower it, and gains nothing by exec either.
    if (held && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM) return false;
  }
  return true;
}

bool drop_held(std::uint64_t kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  // glibc has no wrapper; libcap would be a library for two calls.
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return false;
  for (auto& set : sets) {
    auto keep = static_cast<unsigned>(kept);
    set.effective &= keep;
    set.permitted &= keep;
    set.inheritable &= keep;
    kept >>= 32;
  }
  return ::syscall(SYS_capset, &header, sets.data()) == 0;
}

bool is_already(const Spec& spec) {
  return spec.uid.value_or(::geteuid()) == ::geteuid() &&
         spec.gid.value_or(::getegid()) == ::getegid();
}

MaybeFailure change_user(const Spec& spec) {
  if (!spec.uid && !spec.gid && spec.groups.empty()) return std::nullopt;
  // Root also gives up its other groups; an ordinary user can only stay who it is.
  if (::geteuid() != 0 && is_already(spec)) return std::nullopt;
  gid_t gid = spec.gid.value_or(::getegid());
  uid_t uid = spec.uid.value_or(::geteuid());
  std::vector<gid_t> groups(spec.groups.begin(), spec.groups.end());
  if (::setgroups(groups.size(), groups.data()) != 0 || ::setresgid(gid, gid, gid) != 0 ||
      ::setresuid(uid, uid, uid) != 0) {
    return errno_failure("cannot run as user " + std::to_string(uid) + ", group " +
                         std::to_string(gid) + " (runAsUser needs a server that runs as root)");
  }
  return std::nullopt;
}

}  // namespace

MaybeFailure take_credentials(const Spec& spec) {
  std::uint64_t kept = kept_by(spec);
  if (!drop_bounding(kept)) return errno_failure("capabilities cannot be dropped");
  if (auto failure = change_user(spec)) return failure;
  if (!drop_held(kept)) return errno_failure("capabilities cannot be dropped");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno_failure("no_new_privs");
  return filter_syscalls();
}

}  // namespace trainyard::shim
