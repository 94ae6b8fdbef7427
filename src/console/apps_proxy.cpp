#include "console/apps_proxy.h"

#include "base/crypto/ids.h"
#include "base/words/text.h"
#include "console/app_headers.h"
#include "console/app_pages.h"
#include "console/own_origin.h"
#include "contract/user_secret.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::console {
namespace {

bool has_body(const http::Headers& headers) {
  return headers.find("Content-Length") || headers.find("Transfer-Encoding");
}

bool asks_for_websocket(const http::Headers& headers) {
  return asks_for_upgrade(headers) &&
         equal_ignoring_case(headers.find("Upgrade").value_or(""), "websocket");
}

/// The label of LABEL.localhost:PORT; empty when Host is something else.
std::string_view label_in(std::string_view host, std::uint16_t port) {
  const std::string behind = fmt::format(".localhost:{}", port);
  if (!host.ends_with(behind)) return {};
  const std::string_view label = host.substr(0, host.size() - behind.size());
  const bool well_formed = std::ranges::all_of(
      label, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  return well_formed ? label : std::string_view();
}

/// The answer's header and body, as they come.
awaitable<Result<>> pass_on(http::ResponseStream& answer, const AppAddress& app,
                            http::ResponseWriter& writer) {
  http::Headers headers = response_headers_for_visitor(answer.headers(), app);
  const bool empty = answer.status() == 204 || answer.status() == 304;
  if (empty) {
    http::Response response;
    response.status = answer.status();
    response.headers = std::move(headers);
    co_return co_await writer.send(std::move(response));
  }
  CO_TRY_OK(co_await writer.start(answer.status(), std::move(headers)));
  for (;;) {
    CO_TRY(std::string part, co_await answer.read());
    if (part.empty()) break;
    CO_TRY_OK(co_await writer.write(std::move(part)));
  }
  co_return co_await writer.finish();
}

}  // namespace

std::vector<AppRight> rights_for(const AppAddress& app) {
  std::vector<AppRight> rights{{"get", app.resource(), "", app.key}};
  if (app.kind == AppAddress::Kind::kNotebook) {
    rights.push_back({"create", kPods, "exec", Key{app.key.ns, ""}});
  }
  return rights;
}

AppsProxy::AppsProxy(Executor loop, Clock& clock, AppsBackend backend)
    : loop_(loop),
      backend_(std::move(backend)),
      sessions_(loop, clock, backend_.disk, backend_.sessions_file),
      // A key of its own: what else is made with the same one tells nothing of it.
      login_(sessions_, sign(backend_.label_key, "app labels")),
      activity_(loop, backend_.api, backend_.ports, clock) {}

void AppsProxy::set_ports(std::uint16_t own, std::string console_url) {
  port_ = own;
  console_url_ = std::move(console_url);
}

std::string AppsProxy::url() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

bool AppsProxy::may_use(const Visitor& visitor, const AppAddress& app) const {
  const std::vector<AppRight> rights = rights_for(app);
  return std::all_of(rights.begin(), rights.end(),
                     [&](const AppRight& right) { return backend_.allows(visitor, right); });
}

awaitable<void> AppsProxy::handle(http::Request request, http::ResponseWriter& writer) {
  const std::string host(request.headers.find("Host").value_or(""));
  if (const std::string_view label = label_in(host, port_); !label.empty()) {
    co_return co_await answer_at_label(std::string(label), std::move(request), writer);
  }
  const bool door =
      host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
  http::Response response =
      door ? answer_at_door(request)
           : refusal(421, "Forbidden", fmt::format("apps are served at {}/ only", url()));
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

/// The same for everybody, whatever they send along: no app is here.
http::Response AppsProxy::answer_at_door(const http::Request& request) const {
  if (request.headers.find("Authorization")) {
    return refusal(
        401, "Unauthorized",
        "no token is taken on a connection without TLS: `trainyard open` fetches a login "
        "link, which works once");
  }
  const auto app = parse_app_target(request.target);
  return app ? login_page(*app, console_url_) : login_page();
}

awaitable<void> AppsProxy::answer_at_label(std::string label, http::Request request,
                                           http::ResponseWriter& writer) {
  http::Response response;
  const auto app = parse_app_target(request.target);
  if (request.path == "/login" && request.method == "GET") {
    response = co_await log_in(request, std::move(label));
  } else if (request.path == "/known" && request.method == "GET") {
    response.status = 204;  // the console asks from the browser whether it finds us
  } else if (!is_from_own_page(request) && !is_visit(request)) {
    write_down(request, nullptr, app ? &*app : nullptr, 403);
    response = refusal(403, "Forbidden", "this request comes from another site");
  } else if (!app) {
    response = login_page();
  } else {
    const std::string_view cookie = cookie_value(request.headers, AppLogin::kCookie);
    const LoginSessionPtr session = login_.session_of(cookie, *app, label);
    const bool known = session && co_await is_still_known(session->visitor);
    const std::string peer = request.peer;
    if (known && may_use(session->visitor, *app)) {
      co_await until_ended(session, serve(*app, std::move(request), writer));
      if (writer.answered()) co_return;
    }
    // Also for who has left meanwhile.
    const bool forbidden = known && !session->ended;
    request.peer = peer;
    if (forbidden) write_down(request, &session->visitor, &*app, 403);
    response =
        forbidden ? forbidden_page(*app, session->visitor.name) : login_page(*app, console_url_);
  }
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

/// A path of an app is not told: what is in it belongs to the app.
void AppsProxy::write_down(const http::Request& request, const Visitor* who, const AppAddress* app,
                           int code) const {
  if (!backend_.audit) return;
  contract::AuditEntry entry;
  if (who != nullptr) entry.user = who->name;
  if (who != nullptr) entry.groups = who->groups;
  entry.verb = "login";
  if (app != nullptr) {
    entry.resource = app->resource().plural + "." + app->resource().group;
    entry.ns = app->key.ns;
    entry.name = app->key.name;
  } else {
    entry.path = request.path;
  }
  entry.code = code;
  entry.source = request.peer;
  backend_.audit(std::move(entry));
}

awaitable<http::Response> AppsProxy::log_in(const http::Request& request, std::string label) {
  const auto entry = co_await login_.redeem(request.query.get("token"), std::move(label));
  if (!entry) {
    write_down(request, nullptr, nullptr, 401);
    co_return spent_link_page();
  }
  write_down(request, &entry->visitor, &entry->app, 200);
  // Not a redirect: a Strict cookie is not sent along when a link from elsewhere led here.
  http::Response response = welcome_page(entry->app.path() + "/");
  response.headers.add("Set-Cookie", entry->set_cookie);
  co_return response;
}

awaitable<Result<std::string>> AppsProxy::make_link(Visitor visitor, AppAddress app) {
  if (!may_use(visitor, app)) {
    co_return Error(Code::kForbidden, fmt::format("user \"{}\" may not use {}s in the namespace {}",
                                                  visitor.name, app.word(), app.key.ns));
  }
  const auto found = co_await backend_.api.get(app.resource(), app.key);
  if (!found) {
    co_return Error(Code::kNotFound, fmt::format("{} \"{}\" not found", app.word(), app.key.name));
  }
  CO_TRY(const Visitor known, co_await with_secret(std::move(visitor)));
  co_return fmt::format("http://{}.localhost:{}/login?token={}", login_.label_of(app, known), port_,
                        login_.make_link_secret(app, known));
}

/// Notes by which Secret the visitor was let in, if by one.
awaitable<Result<Visitor>> AppsProxy::with_secret(Visitor visitor) {
  Key key{contract::kUserNamespace, contract::user_secret_name(visitor.name)};
  const auto secret = co_await backend_.api.get(kSecrets, std::move(key));
  if (secret) visitor.secret_uid = uid_of((*secret)->body());
  if (secret || secret.failed_with(Code::kNotFound)) co_return visitor;
  co_return secret.error();
}

awaitable<bool> AppsProxy::is_still_known(Visitor visitor) {
  if (visitor.secret_uid.empty()) co_return true;
  const std::string before = visitor.secret_uid;
  visitor.secret_uid.clear();
  const auto now = co_await with_secret(std::move(visitor));
  co_return now && now->secret_uid == before;
}

awaitable<void> AppsProxy::serve(AppAddress app, http::Request request,
                                 http::ResponseWriter& writer) {
  const auto object = co_await backend_.api.get(app.resource(), app.key);
  http::Response response;
  if (!object) {
    response = missing_page(app);
  } else if (const auto pod = ready_pod((*object)->body()); !pod) {
    response = waiting_page(app, (*object)->body());
  } else if (lacks_slash(request.target, app)) {
    response.status = 308;
    response.headers.add("Location", app.path() + "/");
  } else {
    const AppActivity::Use use(activity_, app);
    co_return co_await forward(app, *pod, std::move(request), writer);
  }
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

awaitable<void> AppsProxy::forward(AppAddress app, Key pod, http::Request request,
                                   http::ResponseWriter& writer) {
  http::Client client(loop_, way_to(app, pod, backend_.ports));
  http::ClientRequest passed;
  passed.method = request.method;
  passed.target = request.target;
  passed.headers = request_headers_for_app(request);
  passed.upgrade = asks_for_websocket(request.headers);
  if (has_body(request.headers)) {
    passed.next_part = [&writer] { return writer.read_body(); };
    // A chunked body has no length, whatever a header says besides.
    if (!request.headers.find("Transfer-Encoding"))
      passed.length = http::content_length(request.headers);
  }
  auto answer = co_await client.open(std::move(passed));
  if (!answer) {
    if (answer.failed_with(Code::kCancelled)) co_return;
    [[maybe_unused]] const auto sent =
        co_await writer.send(silent_page(app, answer.error().message()));
    co_return;
  }
  if ((*answer)->status() != 101) {
    // An answer that breaks off ends the connection: the browser sees that it is not whole.
    [[maybe_unused]] const auto passed_on = co_await pass_on(**answer, app, writer);
    co_return;
  }
  auto tunnel =
      co_await writer.switch_protocols(response_headers_for_visitor((*answer)->headers(), app));
  if (!tunnel) co_return;
  const std::unique_ptr<http::Tunnel> behind = (*answer)->take_tunnel();
  co_await http::relay(**tunnel, *behind);
}

}  // namespace trainyard::console
