#include "base/files.h"
#include "cli/commands.h"
#include "cli/jobs_view.h"
#include "client/kubeconfig.h"
#include "client/web_apps.h"
#include "object/status.h"

#include <fmt/format.h>

namespace trainyard::cli {
namespace {

/// The origin of an address and the path behind it.
struct Place {
  std::string origin;
  std::string path;
};

Place divide(const std::string& url) {
  const std::size_t host = url.find("://");
  const std::size_t slash = host == std::string::npos ? host : url.find('/', host + 3);
  if (slash == std::string::npos) return {url, ""};
  std::string path = url.substr(slash);
  while (path.ends_with('/')) path.pop_back();
  return {url.substr(0, slash), path};
}

/// The token goes where the address says: nowhere but to this machine without TLS.
bool is_safe(const std::string& origin) {
  return origin.starts_with("https://") || origin.starts_with("http://127.") ||
         origin.starts_with("http://localhost:");
}

awaitable<Result<std::string>> ask_link(Executor loop, std::string origin, std::string token,
                                        std::string body) {
  http::ClientOptions options;
  options.url = std::move(origin);
  options.request_timeout_seconds = 30;
  http::Client client(std::move(loop), options);
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/login-links";
  request.headers.add("Authorization", "Bearer " + token);
  request.headers.add("Content-Type", "application/json");
  request.body = std::move(body);
  CO_TRY(const http::Response response, co_await client.request(std::move(request)));
  CO_TRY(const Json answer, parse_json(response.body));
  const std::string link(string_at(answer, "link"));
  if (!link.empty()) co_return link;
  co_return Error(Code::kUnavailable,
                  std::string(string_at(answer, "message", "no link was given")));
}

/// A login link of the console, which the administrator's token buys.
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
  return session->run(ask_link(session->loop(), server->console_url, session->token(), ""));
}

int print_link(const Flags& flags, const std::string& link, Json more = JsonObject()) {
  more.get_object()["link"] = link;
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
  const Place place = divide(url);
  if (place.path.empty() || !is_safe(place.origin)) {
    return Error(Code::kUnavailable,
                 fmt::format("{} {} has no address{} yet: try again in a moment", app.word,
                             app.name, url.empty() ? "" : " that a token may be sent to"));
  }
  const std::string wanted = to_text(Json{{"app", place.path}});
  TRY(const std::string link,
      session.run(ask_link(session.loop(), place.origin, session.token(), wanted)));
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

Result<int> open_page(const Flags& flags, const std::vector<std::string>& words) {
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
                  {words[0], board ? kTensorBoards : client::kNotebooks, words[1]});
}

}  // namespace trainyard::cli
