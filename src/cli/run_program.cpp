#include "cli/run_program.h"

#include "base/files.h"

#include <spawn.h>

#include <cerrno>
#include <sys/wait.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace trainyard::cli {

Result<int> run_program(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (failed != 0) return io_error("starting", command[0], failed);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return io_error("waiting for", command[0], errno);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace trainyard::cli
