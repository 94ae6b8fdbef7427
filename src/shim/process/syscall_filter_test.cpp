#include "shim/process/syscall_filter.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>

namespace trainyard::shim {
namespace {

#if defined(__aarch64__)
constexpr std::uint32_t kNative = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kForeign = AUDIT_ARCH_ARM;
#else
constexpr std::uint32_t kNative = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kForeign = AUDIT_ARCH_I386;
#endif

/// The answer to one call, found as the kernel finds it.
std::uint32_t answer(long call, std::uint64_t first_argument = 0, std::uint32_t arch = kNative) {
  static const std::vector<sock_filter> program = make_syscall_filter();
  seccomp_data data{};
  data.nr = static_cast<int>(call);
  data.arch = arch;
  data.args[0] = first_argument;
  std::uint32_t loaded = 0;
  for (std::size_t line = 0; line < program.size(); ++line) {
    const sock_filter& step = program[line];
    const auto jump = [&](bool holds) { line += holds ? step.jt : step.jf; };
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&loaded, reinterpret_cast<const char*>(&data) + step.k, sizeof loaded);
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        jump(loaded == step.k);
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        jump(loaded >= step.k);
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        jump((loaded & step.k) != 0);
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        ADD_FAILURE() << "line " << line << " is of a sort that is not looked for";
        return 0;
    }
  }
  ADD_FAILURE() << "it ends without an answer";
  return 0;
}

constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kMissing = SECCOMP_RET_ERRNO | ENOSYS;

TEST(SyscallFilter, AllowsWhatTrainingsDo) {
  for (const long call : {SYS_read, SYS_write, SYS_mmap, SYS_execve, SYS_futex, SYS_socket,
                          SYS_ptrace, SYS_process_vm_readv, SYS_mbind, SYS_get_mempolicy,
                          SYS_set_mempolicy, SYS_move_pages, SYS_sched_setaffinity, SYS_chroot,
                          SYS_memfd_create, SYS_prctl, SYS_seccomp, SYS_personality}) {
    EXPECT_EQ(answer(call), SECCOMP_RET_ALLOW) << call;
  }
}

TEST(SyscallFilter, RefusesWhatContainersLack) {
  for (const long call : {SYS_mount, SYS_umount2, SYS_setns, SYS_keyctl, SYS_bpf, SYS_reboot,
                          SYS_init_module, SYS_open_by_handle_at, SYS_move_mount}) {
    EXPECT_EQ(answer(call), kRefused) << call;
  }
  EXPECT_EQ(answer(SYS_clone3), kMissing);
  EXPECT_EQ(answer(SYS_io_uring_setup), kMissing);
}

TEST(SyscallFilter, LooksAtTheFlagsOfNewProcesses) {
  EXPECT_EQ(answer(SYS_clone, CLONE_VM | CLONE_THREAD | 17), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(SYS_clone, 0x80 | 17), SECCOMP_RET_ALLOW) << "a part of the signal's number";
  EXPECT_EQ(answer(SYS_unshare, CLONE_FILES), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(SYS_unshare, 0x80), kRefused);
  for (const int flag : {CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWIPC,
                         CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    EXPECT_EQ(answer(SYS_clone, static_cast<unsigned>(flag | CLONE_VM)), kRefused) << flag;
    EXPECT_EQ(answer(SYS_unshare, static_cast<unsigned>(flag) | std::uint64_t{1} << 40), kRefused)
        << flag;
  }
}

TEST(SyscallFilter, KnowsNothingBeyondItsTable) {
  EXPECT_EQ(answer(470), kMissing);
  EXPECT_EQ(answer(0x40000000 | SYS_read), kMissing) << "x32";
  EXPECT_EQ(answer(-1), kMissing);
}

TEST(SyscallFilter, EndsProcessesOfAnotherArchitecture) {
  EXPECT_EQ(answer(SYS_read, 0, kForeign), SECCOMP_RET_KILL_PROCESS);
}

}  // namespace
}  // namespace trainyard::shim
