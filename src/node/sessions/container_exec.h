#pragma once

#include "base/clock.h"
#include "client/pod_sessions.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::node {

/// Starts a command beside the main process of the container that runs in `run_folder`
/// (ContainerRun::folder()): in its namespaces, with its user, environment and working folder. It
/// is killed, with what it forked, when the session goes, and when this process dies.
Result<std::unique_ptr<client::PodSession>> start_command(const Executor& loop, Clock& clock,
                                                          const std::filesystem::path& run_folder,
                                                          const client::SessionOptions& options,
                                                          const std::vector<std::string>& command);

/// How a command of the node's own went, such as a probe or a hook.
struct CommandResult {
  std::int64_t exit_code = 0;
  std::string output;  // stdout and stderr as they came, at most kCommandOutputLimit
};
inline constexpr std::size_t kCommandOutputLimit = 10240;

/// Runs a command in a container to its end, without input. A command that cannot be run has the
/// exit code 126, 127 or 128 and the reason as its output. kTimeout when it took longer: then it
/// was killed. kBadRequest when the container does not run.
awaitable<Result<CommandResult>> run_in_container(Executor loop, Clock& clock,
                                                  std::filesystem::path run_folder,
                                                  std::vector<std::string> command,
                                                  std::chrono::nanoseconds timeout);

}  // namespace trainyard::node
