#include "server_parent.h"

#include "base/clock.h"
#include "cli/command/server_process.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace trainyard {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostStarts = 5;  // within kSpell
constexpr auto kSpell = 1min;

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

/// SIGKILL is somebody's decision, or the kernel's for want of memory: not to be undone.
bool is_crash(int status) {
  if (!WIFSIGNALED(status)) return false;
  const int signal = WTERMSIG(status);
  return signal == SIGABRT || signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
         signal == SIGFPE;
}

/// Waits for its end; the signals that we get meanwhile are meant for it.
int wait_for(pid_t child, const sigset_t& signals) {
  while (true) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&signals, &info);
    if (signal > 0 && signal != SIGCHLD) {
      // What a terminal sends, it sends to the whole group.
      if (info.si_code != SI_KERNEL) ::kill(child, signal);
      continue;
    }
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) return status;
  }
}

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// As it was started first, at the same addresses: what people have open goes on.
cli::UpOptions options_again(cli::UpOptions options) {
  options.ready_fd = -1;
  options.again = true;
  const auto info = cli::read_server_info(options.data_dir);
  if (!info) return options;
  const auto keep = [](std::string& wanted, const std::string& url) {
    const std::size_t host = url.find("://");
    if (wanted.ends_with(":0") && host != std::string::npos) wanted = url.substr(host + 3);
  };
  keep(options.listen, info->api_url);
  keep(options.console, info->console_url);
  keep(options.apps, info->apps_url);
  return options;
}

}  // namespace

int run_under_parent(const cli::UpOptions& options,
                     const std::function<int(const cli::UpOptions&)>& run) {
  const sigset_t signals = watched_signals();
  sigset_t before;
  ::prctl(PR_SET_NAME, "trainyard");  // started as /proc/self/exe it would be called "exe"
  ::signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &signals, &before);
  cli::UpOptions now = options;
  const SystemClock clock;
  std::deque<TimePoint> starts;
  while (true) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
      fmt::print(stderr, "trainyard: cannot start the server: {}\n", std::strerror(errno));
      return 1;
    }
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) std::_Exit(1);  // it died before we could be told
      sigprocmask(SIG_SETMASK, &before, nullptr);
      const int code = run(now);
      std::fflush(nullptr);
      std::_Exit(code);
    }
    if (now.ready_fd >= 0) ::close(now.ready_fd);
    starts.push_back(clock.now());
    const int status = wait_for(child, signals);
    const auto info = cli::read_server_info(options.data_dir);
    const bool was_ready = info && info->pid == child;
    if (!is_crash(status) || !was_ready) return exit_code(status);
    while (!starts.empty() && clock.now() - starts.front() > kSpell) starts.pop_front();
    if (starts.size() > kMostStarts) {
      fmt::print(stderr,
                 "trainyard: the server has crashed {} times within a minute and is not started "
                 "again; pods go on. Please report what stands above; `trainyard up` starts it.\n",
                 starts.size());
      return exit_code(status);
    }
    fmt::print(stderr, "trainyard: the server has crashed ({}); it is started again\n",
               ::strsignal(WTERMSIG(status)));
    std::fflush(stderr);
    now = options_again(options);
  }
}

}  // namespace trainyard
