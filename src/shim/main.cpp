// trainyard-shim [--wait] DIR: the tiny parent of one container. README.md in this folder says how
// the server and the shim talk through DIR. trainyard-shim --keep DIR: keeps the server's ports.

#include "shim/files.h"
#include "shim/keeper.h"
#include "shim/process/launch.h"
#include "shim/process/signals.h"

#include <climits>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace {

/// DIR/lock, open and locked by the server. As long as anyone has it open, a shim lives in DIR.
constexpr int kLockFd = 3;
/// With --wait: here the server says that DIR/spec is there.
constexpr int kGoFd = 4;
/// Kept open, and nothing else, where it is a pipe: as long as it is, somebody keeps the server's
/// ports from this container (keeper.h).
constexpr int kLifeFd = 5;
/// With --keep: where servers come in, and the end of the pipe that tells whether anybody is left.
constexpr int kServerFd = 3;
constexpr int kLifeEndFd = 4;

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

/// Otherwise the next files that are opened would become stdin and stdout.
void open_missing_stdio() {
  while (!is_open(0) || !is_open(1) || !is_open(2)) {
    if (::open("/dev/null", O_RDWR) < 0) return;
  }
}

bool is_pipe(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

int refuse(const char* why) {
  (void)trainyard::shim::write_all(STDERR_FILENO, why);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace trainyard::shim;
  bool has_lock = is_open(kLockFd);
  bool waits = argc == 3 && std::string_view(argv[1]) == "--wait";
  open_missing_stdio();
  if (argc == 3 && std::string_view(argv[1]) == "--keep") {
    ::close_range(kLifeEndFd + 1, UINT_MAX, 0);
    ::setsid();
    ::prctl(PR_SET_NAME, "trainyard-keep");  // for who wonders what has the port
    return keep_ports(Fd(kServerFd), Fd(kLifeEndFd));
  }
  if (argc != (waits ? 3 : 2)) {
    return refuse("usage: trainyard-shim [--wait] DIR   (started by the trainyard server)\n");
  }
  if (!has_lock) return refuse("trainyard-shim: file descriptor 3 must be the locked DIR/lock\n");
  if (waits && !is_open(kGoFd)) {
    return refuse("trainyard-shim: file descriptor 4 must be the pipe to wait at\n");
  }
  Fd go(waits ? kGoFd : -1);
  ::fcntl(kLockFd, F_SETFD, FD_CLOEXEC);
  if (waits) ::fcntl(kGoFd, F_SETFD, FD_CLOEXEC);
  if (!waits) ::close(kGoFd);
  ::close_range(is_pipe(kLifeFd) ? kLifeFd + 1 : kLifeFd, UINT_MAX, 0);
  ::fcntl(kLifeFd, F_SETFD, FD_CLOEXEC);
  ::umask(022);
  block_signals();
  default_signals();
  return launch(argv[argc - 1], std::move(go));
}
