#include "cli/apps/start_page.h"

#include <fmt/format.h>

namespace trainyard::cli {

std::string start_page(const std::optional<ServerInfo>& server) {
  std::string page = "Trainyard runs distributed training jobs on this machine.\n\n";
  if (server) {
    page += fmt::format(
        "A server runs (process {}); its console: {}\n\n"
        "  trainyard open                         a link that logs you in to the console\n",
        server->pid, server->console_url);
  } else {
    page +=
        "No server runs yet. To begin:\n\n"
        "  trainyard doctor                       see whether this machine has what jobs need\n"
        "  trainyard demo                         watch a small job train; nothing of it stays\n"
        "  trainyard up --detach                  start the server\n";
  }
  page +=
      "  trainyard run -n 4 -- python train.py  run a command of yours as a job of 4 processes\n"
      "  trainyard submit -f job.yaml --follow  run a job and watch its log\n"
      "  trainyard list                         see all jobs\n\n"
      "`trainyard --help` lists all commands, `trainyard COMMAND --help` teaches one.\n";
  return page;
}

}  // namespace trainyard::cli
