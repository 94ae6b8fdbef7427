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

/// Asks the console for a login link, with the administrator's token.
awaitable<Result<std::string>> ask_link(Executor loop, std::string url, std::string token) {
  http::ClientOptions options;
  options.url = url;
  http::Client client(std::move(loop), options);
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/login-links";
  request.headers.add("Authorization", "Bearer " + token);
  CO_TRY(const http::Response response, co_await client.request(std::move(request)));
  CO_TRY(const Json answer, parse_json(response.body));
  const std::string link(string_at(answer, "link"));
  if (!link.empty()) co_return link;
  co_return Error(Code::kUnavailable,
                  std::string(string_at(answer, "message", "no link was given")));
}

}  // namespace

Result<int> status(const Flags& flags) {
  const auto server = find_server(flags.data_dir);
  if (!server) return no_server(flags);
  const Json all{{"pid", server->pid},
                 {"api", server->api_url},
                 {"console", server->console_url},
                 {"podsPath", server->pods_path},
                 {"dataDir", flags.data_dir.string()}};
  if (print_value(flags, all)) return 0;
  fmt::print("running (process {})\n  API         {}\n  console     {}\n  data folder {}\n",
             server->pid, server->api_url, server->console_url, flags.data_dir.string());
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

Result<int> open_console(const Flags& flags) {
  const auto server = find_server(flags.data_dir);
  if (!server) return no_server(flags);
  TRY(const client::Connection connection, client::load_kubeconfig(flags.data_dir / "kubeconfig"));
  Flags embedded = flags;
  embedded.kubeconfig = flags.data_dir / "kubeconfig";
  TRY(const std::unique_ptr<Session> session, Session::open(embedded));
  TRY(const std::string link,
      session->run(ask_link(session->loop(), server->console_url, connection.token)));
  fmt::print("{}\n", link);
  return 0;
}

}  // namespace trainyard::cli
