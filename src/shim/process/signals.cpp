#include "shim/process/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard::shim {

void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

void unblock_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void default_signals() {
  // By the system call: the C library keeps 32 and 33 for itself and would leave them as they were
  // inherited, and a process that ignores them cannot cancel its threads.
  struct {
    void (*handler)(int) = SIG_DFL;
    unsigned long flags = 0;
    void (*restorer)() = nullptr;
    unsigned long mask = 0;
  } action;
  for (int number = 1; number <= SIGRTMAX; ++number) {
    ::syscall(SYS_rt_sigaction, number, &action, nullptr, sizeof action.mask);
  }
}

SignalReader::SignalReader() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGTERM);
  ::sigaddset(&wanted, SIGCHLD);
  fd_ = Fd(::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
}

SignalReader::Signal SignalReader::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != sizeof info) return {};
  return {static_cast<int>(info.ssi_signo), info.ssi_pid};
}

}  // namespace trainyard::shim
