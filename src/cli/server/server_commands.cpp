#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "cli/command/commands.h"
#include "cli/command/print.h"
#include "client/remote/kubeconfig.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

Result<int> down(const Flags& flags) {
  TRY_OK(stop_server(flags.data_dir, false));
  fmt::print(
      "the server has stopped; its pods run on, and `trainyard up` finds them again (`down --all` "
      "stops them too)\n");
  return 0;
}

Result<int> down_all(const Flags& flags, const EndPods& end_pods) {
  if (find_server(flags.data_dir)) {
    TRY_OK(stop_server(flags.data_dir, true));
    fmt::print("the server and all pods have stopped\n");
    return 0;
  }
  std::error_code failure;
  if (!std::filesystem::is_directory(flags.data_dir, failure)) return no_server(flags);
  TRY(const int held, lock_data_dir(flags.data_dir));  // no server shall begin meanwhile
  const UniqueFd lock(held);
  TRY(const std::vector<std::string> pods, end_pods(flags.data_dir));
  if (pods.empty()) {
    fmt::print("no server runs on {}, and none of its pods\n", flags.data_dir.string());
    return 0;
  }
  fmt::print("no server runs on {}; {} that it had left running {} stopped: {}\n",
             flags.data_dir.string(),
             pods.size() == 1 ? "a pod" : fmt::format("{} pods", pods.size()),
             pods.size() == 1 ? "has" : "have", fmt::join(pods, ", "));
  return 0;
}

Result<int> kubeconfig(const Flags& flags) {
  auto text = read_file(flags.data_dir / "kubeconfig");
  if (!text) return no_server(flags);
  fmt::print("{}", *text);
  return 0;
}

}  // namespace trainyard::cli
