#include "shim/process/syscall_filter.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

// Younger than the headers that this is built with.
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

namespace trainyard::shim {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "Which architecture do system calls come from?"
#endif

/// The first number that nobody has looked at: Linux 6.17 ends before it. Numbers are the same on
/// all architectures up there; those of x32 are far beyond.
constexpr std::uint32_t kUnknown = 470;

/// Libraries look whether the kernel has these, and do without.
constexpr std::uint32_t kAbsent[] = {
    SYS_clone3,  // its flags are in memory, where no filter can look
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
};

constexpr std::uint32_t kRefused[] = {
    // Namespaces and mounts.
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_move_mount,
    SYS_open_tree,
    SYS_open_tree_attr,
    SYS_mount_setattr,
    // The keys of the server's user, which no namespace keeps apart.
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    // The kernel itself: its code, its other programs, its log.
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_syslog,
    SYS_lookup_dcookie,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
#endif
    // The machine: its clock, its disks, its end, all files of a disk by number.
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_vhangup,
    SYS_fanotify_init,
    SYS_open_by_handle_at,
};

/// Of clone(), whose lowest byte is a signal, and of unshare().
constexpr std::uint32_t kNewNamespace = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                        CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kNewTime = 0x80;  // CLONE_NEWTIME

constexpr std::uint32_t refuse_with(int error) {
  return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA);
}

/// Builds the program line by line. Each condition jumps over one line or none, so that nothing has
/// to be counted; the kernel knows in advance for which numbers the answer is always yes, and does
/// not run it for these.
class Program {
 public:
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void answer(std::uint32_t what) { add(BPF_RET | BPF_K, what); }
  void answer_if_equal(std::uint32_t value, std::uint32_t what) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(what);
  }
  void answer_unless_equal(std::uint32_t value, std::uint32_t what) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    answer(what);
  }
  void answer_from(std::uint32_t value, std::uint32_t what) {
    add(BPF_JMP | BPF_JGE | BPF_K, value, 0, 1);
    answer(what);
  }
  /// A call whose first argument has one of these bits; ends the program for that call.
  void answer_if_flags(std::uint32_t call, std::uint32_t flags, std::uint32_t what) {
    constexpr std::uint8_t kRest = 4;
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, kRest);
    load(offsetof(seccomp_data, args));  // its lower half: both architectures are little-endian
    add(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1);
    answer(what);
    answer(SECCOMP_RET_ALLOW);
  }
  std::vector<sock_filter> take() { return std::move(lines_); }

 private:
  void add(int code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    lines_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }

  std::vector<sock_filter> lines_;
};

}  // namespace

std::vector<sock_filter> make_syscall_filter() {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.answer_unless_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
  program.load(offsetof(seccomp_data, nr));
  program.answer_from(kUnknown, refuse_with(ENOSYS));
  for (std::uint32_t call : kAbsent) program.answer_if_equal(call, refuse_with(ENOSYS));
  for (std::uint32_t call : kRefused) program.answer_if_equal(call, refuse_with(EPERM));
  program.answer_if_flags(SYS_clone, kNewNamespace, refuse_with(EPERM));
  program.answer_if_flags(SYS_unshare, kNewNamespace | kNewTime, refuse_with(EPERM));
  program.answer(SECCOMP_RET_ALLOW);
  return program.take();
}

MaybeFailure filter_syscalls() {
  std::vector<sock_filter> lines = make_syscall_filter();
  sock_fprog program{static_cast<unsigned short>(lines.size()), lines.data()};
  // Without the flag older kernels slow down all that the processes compute.
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) ==
      0) {
    return std::nullopt;
  }
  return errno_failure("system calls cannot be filtered (the kernel needs CONFIG_SECCOMP_FILTER)");
}

}  // namespace trainyard::shim
