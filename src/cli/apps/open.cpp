#include "base/files/files.h"
#include "cli/command/commands.h"
#include "cli/command/jobs_view.h"
#include "cli/command/print.h"
#include "cli/command/running_servers.h"
#include "client/remote/kubeconfig.h"
#include "contract/web_apps.h"
#include "http/wire/url.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <netdb.h>

namespace trainyard::cli {
namespace {

/// The path of an address, without a slash at its end.
std::string path_of(const std::string& url) {
  const std::size_t host = url.find("://");
  const std::size_t slash = host == std::string::npos ? host : url.find('/', host + 3);
  if (slash == std::string::npos) return {};
  std::string path = url.substr(slash);
  while (path.ends_with('/')) path.pop_back();
  return path;
}

/// A link that logs in whom the API server knows us as. It is asked for over TLS: the pages that it
/// leads to are served without, and get nothing that works twice.
awaitable<Result<std::string>> ask_link(Session& session, Json wanted) {
  CO_TRY(const Json answer, co_await session.api().post_path("/login-links", std::move(wanted)));
  const std::string link(string_at(answer, "link"));
  if (!link.empty()) co_return link;
  co_return Error(Code::kUnavailable, "no link was given");
}

/// A login link of the console of this machine's server.
Result<std::string> console_link(const Flags& flags) {
  const auto server = find_server(flags.data_dir);
  if (!server) {
    return Error(Code::kNotFound,
                 fmt::format("no server runs on {}: start one with `trainyard up --detach`",
                             flags.data_dir.string()));
  }
  Flags embedded = flags;
  embedded.kubeconfig = flags.data_dir / "kubeconfig";
  embedded.context.clear();
  TRY(const std::unique_ptr<Session> session, Session::open(embedded));
  return session->run(ask_link(*session, JsonObject()));
}

/// The name in a link, when this system cannot find its address. Most browsers can by themselves.
std::string unknown_name(const std::string& link) {
  const auto address = http::parse_server_url(link.substr(0, link.find('/', link.find("://") + 3)));
  if (!address || !address->host.ends_with(".localhost")) return {};
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(address->host.c_str(), nullptr, nullptr, &found);
  if (failed == 0) ::freeaddrinfo(found);
  return failed == 0 ? std::string() : address->host;
}

int print_link(const Flags& flags, const std::string& link, Json more = JsonObject()) {
  more.get_object()["link"] = link;
  if (const std::string name = unknown_name(link); !name.empty()) {
    fmt::print(
        stderr,
        "note: Chrome, Edge and Firefox know this address by themselves; for other programs, "
        "such as Safari, /etc/hosts needs the line: 127.0.0.1 {}\n",
        name);
  }
  if (!print_value(flags, more)) fmt::print("{}\n", link);
  return 0;
}

struct App {
  std::string word;  // tensorboard, notebook
  Resource resource;
  std::string name;
};

Result<int> open_app(const Flags& flags, Session& session, const App& app) {
  TRY(const ObjectPtr object,
      session.run(session.api().get(app.resource, Key{session.ns(), app.name})));
  const std::string url(string_at(object->body(), "status.url"));
  const std::string phase(string_at(object->body(), "status.phase"));
  const std::string path = path_of(url);
  if (path.empty()) {
    return Error(Code::kUnavailable, fmt::format("{} {} has no address yet: try again in a moment",
                                                 app.word, app.name));
  }
  TRY(const std::string link, session.run(ask_link(session, Json{{"app", path}})));
  if (phase != "Running") {
    const Json* ready = find_condition(object->body(), "Ready");
    fmt::print(stderr, "note: {} {} is {}: {}\n", app.word, app.name, phase,
               ready == nullptr ? "" : string_at(*ready, "message"));
  }
  return print_link(flags, link, JsonObject{{"url", url}, {"phase", phase}});
}

Result<int> open_job(const Flags& flags, const std::string& name) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const FoundJob job, session->run(find_job(session->api(), session->ns(), name)));
  const std::string board(string_at(job.body(), "status.tensorboard.dependent.name"));
  if (!board.empty()) return open_app(flags, *session, {"tensorboard", kTensorBoards, board});
  TRY(const std::string link, console_link(flags));
  const Key key = job.key();
  return print_link(flags, fmt::format("{}&job={}/{}", link, key.ns, key.name));
}

}  // namespace

Result<int> open_console(const Flags& flags) {
  TRY(const std::string link, console_link(flags));
  return print_link(flags, link);
}

Result<int> open_page(const Flags& given, const std::vector<std::string>& words) {
  Flags flags = given;
  // Apps and jobs may be of another cluster, which the flags name.
  const auto folder = choose_data_dir(flags.data_dir, flags.data_dir_named);
  if (folder) flags.data_dir = *folder;
  if (words.empty() && !folder) return folder.error();
  if (words.empty()) return open_console(flags);
  const bool board = words[0] == "tensorboard";
  if (!board && words[0] != "notebook") {
    if (words.size() == 1) return open_job(flags, words[0]);
    return Error(Code::kInvalid,
                 fmt::format("{} cannot be opened: write JOB, `tensorboard NAME` or "
                             "`notebook NAME`",
                             words[0]));
  }
  if (words.size() == 1) {
    return Error(Code::kInvalid, fmt::format("which {0}? `kubectl get {0}s` lists them", words[0]));
  }
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  return open_app(flags, *session,
                  {words[0], board ? kTensorBoards : contract::kNotebooks, words[1]});
}

}  // namespace trainyard::cli
