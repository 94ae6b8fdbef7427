// Says what a program may ask of the kernel where it runs: `syscall_probe` prints one line a call,
// with the name of the error; `syscall_probe 32-bit` makes a call of the other architecture.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

void tell(const char* what, long result) {
  std::printf("%s: %s\n", what, result >= 0 ? "allowed" : strerrorname_np(errno));
}

/// In a child, which what it gets goes with.
void tell_of_child(const char* what, long (*call)()) {
  std::fflush(stdout);
  if (::fork() == 0) {
    tell(what, call());
    std::fflush(stdout);
    ::_exit(0);
  }
  ::wait(nullptr);
}

long clone_user() {
  const long pid = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) ::_exit(0);
  if (pid > 0) ::wait(nullptr);
  return pid;
}

/// As whoever is not root would get it.
long raw_socket_of_own_user() {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return -1;
  return ::socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

void call_other_architecture() {
#if defined(__x86_64__)
  long result = 20;  // getpid of i386
  asm volatile("int $0x80" : "+a"(result) : : "memory");
  std::printf("32-bit: %ld\n", result);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "32-bit") == 0) {
    call_other_architecture();
    return 0;
  }
  tell_of_child("unshare user", [] { return long{::unshare(CLONE_NEWUSER)}; });
  tell_of_child("clone user", clone_user);
  tell_of_child("raw socket", raw_socket_of_own_user);
  tell_of_child("unshare files", [] { return long{::unshare(CLONE_FILES | CLONE_FS)}; });
  tell("clone3", ::syscall(SYS_clone3, nullptr, 0));
  tell("setns", ::syscall(SYS_setns, -1, 0));
  tell("io_uring", ::syscall(SYS_io_uring_setup, 1, nullptr));
  tell("keyctl", ::syscall(SYS_keyctl, 0, -3, 1));
  tell("add_key", ::syscall(SYS_add_key, "user", "trainyard-probe", "x", 1, -1));
  tell("perf", ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0));
  tell("fsopen", ::syscall(SYS_fsopen, "tmpfs", 1));
  tell("x32", ::syscall(0x40000000 | 39));
  std::thread([] { std::printf("a thread: allowed\n"); }).join();
  return 0;
}
