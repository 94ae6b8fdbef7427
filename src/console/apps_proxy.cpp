#include "console/apps_proxy.h"

#include "client/user_secret.h"
#include "console/app_headers.h"
#include "console/app_pages.h"
#include "http/ascii.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::console {
namespace {

// A request for a link names an app and nothing else.
constexpr std::size_t kLongestLinkRequest = 4096;

bool has_body(const http::Headers& headers) {
  return headers.find("Content-Length") || headers.find("Transfer-Encoding");
}

bool asks_for_websocket(const http::Headers& headers) {
  return asks_for_upgrade(headers) &&
         http::equal_ignoring_case(headers.find("Upgrade").value_or(""), "websocket");
}

awaitable<Result<std::string>> read_small_body(http::ResponseWriter& writer) {
  std::string body;
  for (;;) {
    CO_TRY(const std::string part, co_await writer.read_body());
    if (part.empty()) co_return body;
    body += part;
    if (body.size() > kLongestLinkRequest) co_return Error(Code::kTooLarge, "too much was sent");
  }
}

http::Response refusal_of(const Error& error) {
  switch (error.code()) {
    case Code::kForbidden:
      return refusal(403, "Forbidden", error.message());
    case Code::kNotFound:
      return refusal(404, "NotFound", error.message());
    default:
      return refusal(503, "ServiceUnavailable", error.message());
  }
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
      login_(clock, backend_.session_key),
      activity_(loop, backend_.api, backend_.ports, clock) {}

bool AppsProxy::may_use(const Visitor& visitor, const AppAddress& app) const {
  const std::vector<AppRight> rights = rights_for(app);
  return std::all_of(rights.begin(), rights.end(),
                     [&](const AppRight& right) { return backend_.allows(visitor, right); });
}

awaitable<void> AppsProxy::handle(http::Request request, http::ResponseWriter& writer) {
  http::Response response;
  if (!origin_.is_named_by(request)) {
    response = refusal(421, "Forbidden", fmt::format("apps are served at {}/ only", origin_.url()));
  } else if (request.path == "/login" && request.method == "GET") {
    response = answer_login(request);
  } else if (!origin_.is_behind(request) && !is_visit(request)) {
    response = refusal(403, "Forbidden", "this request comes from another site");
  } else if (request.path == "/login-links" && request.method == "POST") {
    response = co_await answer_link_request(std::move(request), writer);
  } else {
    co_return co_await answer(std::move(request), writer);
  }
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

http::Response AppsProxy::answer_login(const http::Request& request) {
  const auto entry = login_.redeem(request.query.get("token"));
  if (!entry) return spent_link_page();
  // Not a redirect: a Strict cookie is not sent along when a link from elsewhere led here.
  http::Response response = welcome_page(entry->app.path() + "/");
  response.headers.add("Set-Cookie", entry->set_cookie);
  return response;
}

/// {"app": "/NAMESPACE/KIND/NAME"} in, {"link": URL} out, for whoever may use it.
awaitable<http::Response> AppsProxy::answer_link_request(http::Request request,
                                                         http::ResponseWriter& writer) {
  const auto visitor = backend_.authenticate(request);
  if (!visitor) {
    co_return refusal(401, "Unauthorized", "send the token of your kubeconfig to get a login link");
  }
  const auto body = co_await read_small_body(writer);
  const auto wanted = body ? parse_json(*body) : Result<Json>(body.error());
  const auto app = wanted ? parse_app_target(string_at(*wanted, "app")) : std::nullopt;
  if (!app) {
    co_return refusal(400, "BadRequest", R"(send {"app": "/NAMESPACE/KIND/NAME"})");
  }
  const auto link = co_await make_link(*visitor, *app);
  if (!link) co_return refusal_of(link.error());
  http::Response response;
  response.headers.add("Content-Type", "application/json");
  response.body = to_text(Json{{"link", *link}});
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
  co_return fmt::format("{}/login?token={}", origin_.url(), login_.make_link_secret(app, known));
}

/// Notes by which Secret the visitor was let in, if by one.
awaitable<Result<Visitor>> AppsProxy::with_secret(Visitor visitor) {
  Key key{client::kUserNamespace, client::user_secret_name(visitor.name)};
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

awaitable<std::optional<Visitor>> AppsProxy::identify(const http::Request& request,
                                                      AppAddress app) {
  auto visitor = login_.visitor_of(cookie_value(request.headers, AppLogin::kCookie), app);
  if (visitor) {
    const bool known = co_await is_still_known(*visitor);
    if (known) co_return visitor;
  }
  // Programs send their token; without a session nothing else counts.
  if (request.headers.find("Authorization")) co_return backend_.authenticate(request);
  co_return std::nullopt;
}

awaitable<void> AppsProxy::answer(http::Request request, http::ResponseWriter& writer) {
  const auto app = parse_app_target(request.target);
  http::Response response;
  if (!app) {
    response = login_page();
  } else if (const auto visitor = co_await identify(request, *app); !visitor) {
    response = login_page(*app);
  } else if (!may_use(*visitor, *app)) {
    response = forbidden_page(*app, visitor->name);
  } else {
    co_return co_await serve(*app, std::move(request), writer);
  }
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
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
