#include "base/files.h"
#include "cli/commands.h"
#include "client/kubeconfig.h"

#include <fmt/format.h>

namespace trainyard::cli {
namespace {

Error no_server(const Flags& flags) {
  return Error(Code::kNotFound,
               fmt::format("no server runs on {}: start one with `trainyard up --detach`",
                           flags.data_dir.string()));
}

}  // namespace

Result<int> status(const Flags& flags) {
  const auto server = find_server(flags.data_dir);
  if (!server) return no_server(flags);
  const Json all{{"pid", server->pid},
                 {"api", server->api_url},
                 {"console", server->console_url},
                 {"apps", server->apps_url},
                 {"podsPath", server->pods_path},
                 {"dataDir", flags.data_dir.string()}};
  if (print_value(flags, all)) return 0;
  fmt::print(
      "running (process {})\n  API         {}\n  console     {}\n  apps        {}\n"
      "  data folder {}\n",
      server->pid, server->api_url, server->console_url, server->apps_url, flags.data_dir.string());
  return 0;
}

Result<int> down(const Flags& flags, bool with_pods) {
  TRY_OK(stop_server(flags.data_dir, with_pods));
  fmt::print("{}\n", with_pods ? "the server and all pods have stopped"
                               : "the server has stopped; its pods run on, and `trainyard up` "
                                 "finds them again (`down --all` stops them too)");
  return 0;
}

Result<int> kubeconfig(const Flags& flags) {
  auto text = read_file(flags.data_dir / "kubeconfig");
  if (!text) return no_server(flags);
  fmt::print("{}", *text);
  return 0;
}

}  // namespace trainyard::cli
