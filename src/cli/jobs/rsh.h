#pragma once

#include "object/values/metadata.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// `trainyard rsh HOST COMMAND…`: runs a command in a worker of the MPI job whose launcher calls
/// it, over the API's exec, as the launcher's own account. What mpirun uses where there is no sshd.
namespace trainyard::cli {

/// Where the controller lists the workers: a line each, "HOST POD CONTAINER".
inline constexpr const char* kWorkersFile = "/etc/mpi/workers";

struct RshWorker {
  std::string pod;
  std::string container;
};
/// Nothing: the host is none of them.
std::optional<RshWorker> find_rsh_worker(std::string_view list, std::string_view host);
/// What follows the options that mpirun is told to call ssh with: plm_rsh_args. None means anything
/// here.
std::vector<std::string> without_ssh_options(const std::vector<std::string>& words);
/// The path that runs a command, as rsh understands it: all words together are for the shell.
std::string exec_target(const std::string& ns, const RshWorker& worker,
                        const std::vector<std::string>& words);

/// The words after `rsh`. Returns the command's exit code, or 255 when it could not be run, as ssh
/// does.
int run_rsh(const std::vector<std::string>& words);

}  // namespace trainyard::cli
