#include "cli/command/context.h"

#include "base/files/folder_entries.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace trainyard::cli {
namespace {

using Files = std::vector<std::filesystem::path>;

/// KUBECONFIG=a:b names several.
Files split_list(std::string_view list) {
  Files files;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(':'));
    if (!one.empty()) files.emplace_back(one);
    list.remove_prefix(std::min(list.size(), one.size() + 1));
  }
  return files;
}

/// None: there is no kubeconfig to be found.
Files choose_kubeconfig(const Flags& flags) {
  if (!flags.kubeconfig.empty()) return Files{flags.kubeconfig};
  if (const char* given = std::getenv("KUBECONFIG"); given != nullptr) {
    if (Files files = split_list(given); !files.empty()) return files;
  }
  if (find_server(flags.data_dir)) return Files{flags.data_dir / "kubeconfig"};
  const char* home = std::getenv("HOME");
  const std::filesystem::path usual =
      std::filesystem::path(home != nullptr ? home : "/root") / ".kube/config";
  if (is_there(usual)) return Files{usual};
  return {};
}

Result<client::Connection> choose_cluster(const Flags& flags) {
  const Files files = choose_kubeconfig(flags);
  if (!files.empty()) return client::load_kubeconfigs(files, flags.context);
  auto pod = client::load_pod_account();
  if (!pod.failed_with(Code::kNotFound)) return pod;
  return Error(Code::kUnavailable,
               "no server runs here: start one with `trainyard up --detach`, or name a cluster "
               "with --kubeconfig");
}

}  // namespace

Session::Session(client::Connection connection, std::string ns)
    : ns_(ns.empty() ? connection.ns : std::move(ns)),
      server_(connection.http),
      token_(connection.token),
      api_(std::make_unique<client::RemoteApi>(loop_.get_executor(), std::move(connection))) {}

Result<std::unique_ptr<Session>> Session::open(const Flags& flags) {
  TRY(client::Connection connection, choose_cluster(flags));
  // Nothing that a command asks for takes this long; a server that hangs must not hang the command.
  connection.http.request_timeout_seconds = 60;
  return std::unique_ptr<Session>(new Session(std::move(connection), flags.ns));
}

bool Session::finds_none(const Flags& flags) {
  return choose_kubeconfig(flags).empty() &&
         client::load_pod_account().failed_with(Code::kNotFound);
}

std::unique_ptr<Session> Session::with(client::Connection connection) {
  const std::string ns = connection.ns;
  return std::unique_ptr<Session>(new Session(std::move(connection), ns));
}

}  // namespace trainyard::cli
