#include "node/run/shim_process.h"

#include "base/files/files.h"

#include <spawn.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

namespace trainyard::node {
namespace {

constexpr int kLockFd = 3;  // where the shim expects its lock,
constexpr int kGoFd = 4;    // the pipe that it waits at,
constexpr int kLifeFd = 5;  // and what it keeps open

/// posix_spawn clears CLOEXEC on the copy that dup2 makes, unless source and target are equal.
UniqueFd out_of_the_way(int fd) {
  return fd < 0 ? UniqueFd() : UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, kLifeFd + 1));
}

}  // namespace

Result<UniqueFd> lock_for_shim(const std::filesystem::path& folder) {
  UniqueFd lock(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid()) return io_error("creating", folder / "lock", errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return UniqueFd();
  return lock;
}

bool shim_lives_in(const std::filesystem::path& folder) {
  // For reading only: RunWatcher takes the end of a writer for the end of the shim.
  const UniqueFd lock(::open((folder / "lock").c_str(), O_RDONLY | O_CLOEXEC));
  return lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0;
}

Result<> spawn_shim(const std::filesystem::path& shim, const std::filesystem::path& folder,
                    int lock, int life, int waits_at) {
  const UniqueFd passed_lock = out_of_the_way(lock);
  const UniqueFd passed_pipe = out_of_the_way(waits_at);
  const UniqueFd passed_life = out_of_the_way(life);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, passed_lock.get(), kLockFd);
  if (passed_pipe.valid()) posix_spawn_file_actions_adddup2(&actions, passed_pipe.get(), kGoFd);
  if (passed_life.valid()) posix_spawn_file_actions_adddup2(&actions, passed_life.get(), kLifeFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The server ignores SIGCHLD so that its shims need no reaping; the shim must not inherit that.
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int number : {SIGCHLD, SIGPIPE, SIGTERM, SIGINT, SIGHUP}) sigaddset(&defaults, number);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::string program = shim.string();
  std::string option = "--wait";
  std::string argument = folder.string();
  std::vector<char*> arguments{program.data()};
  if (passed_pipe.valid()) arguments.push_back(option.data());
  arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  char* no_environment[] = {nullptr};
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments.data(), no_environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return io_error("starting", shim, failed);
  return Ok();
}

}  // namespace trainyard::node
