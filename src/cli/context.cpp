#include "cli/context.h"

#include <cstdlib>

namespace trainyard::cli {
namespace {

Result<std::filesystem::path> choose_kubeconfig(const Flags& flags) {
  if (!flags.kubeconfig.empty()) return std::filesystem::path(flags.kubeconfig);
  if (const char* given = std::getenv("KUBECONFIG"); given != nullptr && *given != '\0') {
    return std::filesystem::path(given);
  }
  if (find_server(flags.data_dir)) return flags.data_dir / "kubeconfig";
  const char* home = std::getenv("HOME");
  const std::filesystem::path usual =
      std::filesystem::path(home != nullptr ? home : "/root") / ".kube/config";
  if (std::filesystem::exists(usual)) return usual;
  return Error(Code::kUnavailable,
               "no server runs here: start one with `trainyard up --detach`, or name a cluster "
               "with --kubeconfig");
}

}  // namespace

Session::Session(client::Connection connection, std::string ns)
    : ns_(ns.empty() ? connection.ns : std::move(ns)),
      server_(connection.http),
      api_(std::make_unique<client::RemoteApi>(loop_.get_executor(), std::move(connection))) {}

Result<std::unique_ptr<Session>> Session::open(const Flags& flags) {
  TRY(const std::filesystem::path file, choose_kubeconfig(flags));
  TRY(client::Connection connection, client::load_kubeconfig(file, flags.context));
  // Nothing that a command asks for takes this long; a server that hangs must not hang the command.
  connection.http.request_timeout_seconds = 60;
  return std::unique_ptr<Session>(new Session(std::move(connection), flags.ns));
}

}  // namespace trainyard::cli
