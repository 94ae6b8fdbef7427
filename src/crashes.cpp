#include "crashes.h"

#include "base/crash_record.h"
#include "base/unexpected.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <unistd.h>

namespace trainyard {
namespace {

/// A stack that has no room left needs another for its end.
std::array<char, 64 << 10> spare_stack;

void on_crash(int signal) {
  // Whoever aborts has said where.
  if (signal != SIGABRT) {
    constexpr std::string_view kWords = "the server has crashed, here:\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kWords.data(), kWords.size());
    print_stack();
  }
  crash_record::add();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

[[noreturn]] void on_terminate() {
  if (const std::exception_ptr failure = std::current_exception()) {
    end_process("the loop, or a thread", failure);
  }
  print_stack();
  std::abort();
}

}  // namespace

void tell_of_crashes() {
  std::set_terminate(on_terminate);
  stack_t stack{};
  stack.ss_sp = spare_stack.data();
  stack.ss_size = spare_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace trainyard
