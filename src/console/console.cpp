#include "console/console.h"

#include "base/words/text.h"
#include "console/answers.h"
#include "console/app_headers.h"
#include "console/guarded_socket.h"
#include "console/help_pages.h"
#include "console/live_socket.h"
#include "embedded/pages.h"
#include "object/json/json.h"

#include <fmt/format.h>

namespace trainyard::console {
namespace {

constexpr std::string_view kCookie = "trainyard_session";
constexpr std::string_view kSecretHeader = "X-Trainyard-Secret";
constexpr std::string_view kTicketMark = "ticket=";
/// What leads from a page of the console to an app, in a tab of its own: /open/NAMESPACE/KIND/NAME.
constexpr std::string_view kOpenPath = "/open/";
constexpr std::string_view kCookieRules = "Path=/; HttpOnly; SameSite=Strict";
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src "
    "'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";
/// The page that leads to an app finds out whether this browser knows the app's name.
constexpr const char* kOpenPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src "
    "'self'; connect-src 'self' http://*.localhost:*; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Adds the security headers to every answer, also to those that the API gives.
class SecuredWriter final : public http::ResponseWriter {
 public:
  SecuredWriter(http::ResponseWriter& writer, const char* policy)
      : writer_(writer), policy_(policy) {}

  awaitable<Result<>> send(http::Response response) override {
    secure(response.headers);
    return writer_.send(std::move(response));
  }
  awaitable<Result<>> start(int status, http::Headers headers) override {
    secure(headers);
    return writer_.start(status, std::move(headers));
  }
  awaitable<Result<>> write(std::string chunk) override { return writer_.write(std::move(chunk)); }
  awaitable<Result<>> finish() override { return writer_.finish(); }
  awaitable<Result<std::unique_ptr<http::WebSocket>>> upgrade(std::string subprotocol) override {
    return writer_.upgrade(std::move(subprotocol));
  }
  awaitable<Result<std::string>> read_body() override { return writer_.read_body(); }
  bool answered() const override { return writer_.answered(); }

 private:
  void secure(http::Headers& headers) const {
    headers.add("Content-Security-Policy", policy_);
    headers.add("X-Content-Type-Options", "nosniff");
    headers.add("Referrer-Policy", "no-referrer");
    headers.add("Cross-Origin-Opener-Policy", "same-origin");
  }

  http::ResponseWriter& writer_;
  const char* policy_;
};

/// A file of the console; the page itself for every path that is none, since the page routes.
http::Response serve_file(std::string_view path, const http::Headers& asked) {
  const std::string_view wanted = path.substr(1);
  const embedded::File* page = nullptr;
  for (const embedded::File& file : embedded::pages()) {
    if (file.name == wanted && wanted != "index.html") {
      http::Response response = respond_packed(file.name, file.bytes, asked);
      // Vite puts a hash of the content into the names of these files.
      response.headers.add("Cache-Control", "public, max-age=31536000, immutable");
      return response;
    }
    if (file.name == "index.html") page = &file;
  }
  if (page == nullptr || wanted.starts_with("assets/")) {
    return refuse(404, "NotFound", fmt::format("nothing is served at {}", path));
  }
  http::Response response = respond_packed(page->name, page->bytes, asked);
  response.headers.add("Cache-Control", "no-store");
  return response;
}

/// /openapi/v3 has the schemas, from which the editor of manifests helps.
bool is_api_path(std::string_view path) {
  return path == "/api" || path == "/apis" || path.starts_with("/api/") ||
         path.starts_with("/apis/") || path == "/openapi/v3" || path.starts_with("/openapi/v3/");
}

bool asks_for_websocket(const http::Request& request) {
  return request.method == "GET" && asks_for_upgrade(request.headers) &&
         equal_ignoring_case(request.headers.find("Upgrade").value_or(""), "websocket");
}

/// What a browser hears of first when it asks for several.
std::string first_subprotocol(const http::Headers& headers) {
  const std::string_view offered = headers.find("Sec-WebSocket-Protocol").value_or("");
  return std::string(offered.substr(0, offered.find_first_of(", ")));
}

/// Pages that may be come to from anywhere, since they do nothing by themselves.
bool is_entrance(const http::Request& request) {
  return (request.method == "GET" || request.method == "HEAD") && !request.headers.find("Origin") &&
         (request.path == "/" || request.path == "/login" || request.path.starts_with(kOpenPath));
}

http::Response answer_json(const Json& json) {
  http::Response response = respond(200, "application/json", to_text(json));
  response.headers.add("Cache-Control", "no-store");
  return response;
}

http::Response refuse_error(const Error& error) {
  switch (error.code()) {
    case Code::kForbidden:
      return refuse(403, "Forbidden", error.message());
    case Code::kNotFound:
      return refuse(404, "NotFound", error.message());
    default:
      return refuse(503, "ServiceUnavailable", error.message());
  }
}

}  // namespace

Console::Console(Executor loop, Clock& clock, Backend backend)
    : loop_(loop),
      clock_(clock),
      backend_(std::move(backend)),
      sessions_(loop, clock, backend_.disk, backend_.sessions_file),
      tickets_(clock) {}

/// What is behind the # is not sent to any server: it is in no log and in no Referer.
std::string Console::make_login_link(Visitor visitor) {
  return fmt::format("{}/login#token={}", origin_.url(),
                     sessions_.make_link_secret(std::move(visitor)));
}

std::optional<http::Response> Console::turn_away(const http::Request& request) const {
  if (origin_.is_called_localhost(request) && request.method == "GET" &&
      !is_api_path(request.path) && request.target.starts_with('/')) {
    http::Response response = respond(307, "text/plain; charset=utf-8", "");
    response.headers.add("Location", origin_.url() + request.target);
    return response;
  }
  if (!origin_.is_named_by(request)) {
    return refuse(421, "Forbidden",
                  fmt::format("this console is served at {}/ only", origin_.url()));
  }
  if (!is_from_own_page(request) && !is_entrance(request)) {
    return refuse(403, "Forbidden", "this request comes from another site");
  }
  return std::nullopt;
}

LoginSessionPtr Console::session_of(const http::Request& request) const {
  const LoginSessionPtr session = sessions_.find(cookie_value(request.headers, kCookie));
  if (session == nullptr) return nullptr;
  const std::string_view secret = request.headers.find(kSecretHeader).value_or("");
  return Sessions::has_secret(*session, secret) ? session : nullptr;
}

/// Takes the ticket off a request: the API does not know of it. Null when it is none, or used.
LoginSessionPtr Console::cut_ticket(http::Request& request) {
  const LoginSessionPtr session = sessions_.find(cookie_value(request.headers, kCookie));
  const std::size_t mark = request.target.rfind(kTicketMark);
  if (session == nullptr || request.method != "GET" || mark == std::string::npos || mark == 0) {
    return nullptr;
  }
  const std::string ticket = request.target.substr(mark + kTicketMark.size());
  request.target.resize(mark - 1);  // with its ? or &
  const std::size_t question = request.target.find('?');
  request.query = question == std::string::npos ? http::Query()
                                                : http::Query(request.target.substr(question + 1));
  return tickets_.redeem(ticket, session->cookie_hash, request.target) ? session : nullptr;
}

void Console::write_down(const http::Request& request, std::string verb, const Visitor* who,
                         int code) const {
  if (!backend_.audit) return;
  contract::AuditEntry entry;
  if (who != nullptr) entry.user = who->name;
  if (who != nullptr) entry.groups = who->groups;
  entry.verb = std::move(verb);
  entry.path = request.path;
  entry.code = code;
  entry.source = request.peer;
  backend_.audit(std::move(entry));
}

http::Response Console::refuse_stranger(const http::Request& request) const {
  write_down(request, lower(request.method), nullptr, 401);
  return refuse(401, "Unauthorized", "log in with the link that `trainyard open` prints");
}

awaitable<http::Response> Console::log_in(const http::Request& request, std::string token) {
  const auto login = co_await sessions_.redeem(std::move(token));
  write_down(request, "login", login ? &login->session->visitor : nullptr, login ? 200 : 401);
  if (!login) {
    co_return refuse(401, "Unauthorized",
                     "this login link was used already or is too old: `trainyard open` prints a "
                     "fresh one");
  }
  http::Response response = answer_json({{"secret", login->secret}});
  response.headers.add(
      "Set-Cookie", fmt::format("{}={}; {}; Max-Age=604800", kCookie, login->cookie, kCookieRules));
  co_return response;
}

awaitable<http::Response> Console::log_out(const http::Request& request, LoginSessionPtr session) {
  write_down(request, "logout", &session->visitor, 200);
  co_await sessions_.end(session);
  co_await backend_.leave_apps(session->visitor.name);
  http::Response response = answer_json(JsonObject());
  response.headers.add("Set-Cookie", fmt::format("{}=; {}; Max-Age=0", kCookie, kCookieRules));
  co_return response;
}

awaitable<http::Response> Console::open_app(LoginSessionPtr session, std::string path) {
  // The slash before the namespace belongs to the app's own path.
  const auto app = parse_app_target(std::string_view(path).substr(kOpenPath.size() - 1));
  if (!app) {
    co_return refuse(404, "NotFound",
                     "no app has this address: it is /open/NAMESPACE/tensorboard/NAME or "
                     "/open/NAMESPACE/notebook/NAME");
  }
  const auto link = co_await backend_.make_app_link(session->visitor, *app);
  if (!link) co_return refuse_error(link.error());
  co_return answer_json({{"link", *link}});
}

awaitable<http::Response> Console::look_into_image(std::string image) {
  const auto found = co_await backend_.look_into_image(std::move(image));
  co_return found ? answer_json(*found) : refuse_error(found.error());
}

http::Response Console::give_ticket(const LoginSession& session, const Json& wanted) {
  std::string path(string_at(wanted, "path"));
  if (!is_api_path(path.substr(0, path.find('?')))) {
    return refuse(400, "BadRequest", R"(send {"path": "/api/…"})");
  }
  return answer_json({{"ticket", tickets_.make(session.cookie_hash, std::move(path))}});
}

awaitable<http::Response> Console::answer_post(http::Request request) {
  const auto body = parse_json(request.body.empty() ? "{}" : request.body);
  if (!body) co_return refuse(400, "BadRequest", body.error().message());
  if (request.path == "/login") {
    co_return co_await log_in(request, std::string(string_at(*body, "token")));
  }
  const LoginSessionPtr session = session_of(request);
  if (session == nullptr) co_return refuse_stranger(request);
  if (request.path == "/logout") co_return co_await log_out(request, session);
  if (request.path == "/tickets") co_return give_ticket(*session, *body);
  if (request.path == "/image") {
    co_return co_await look_into_image(std::string(string_at(*body, "image")));
  }
  co_return co_await open_app(session, request.target);
}

awaitable<void> Console::run_live_socket(std::string peer, Visitor visitor,
                                         std::unique_ptr<http::WebSocket> opened) {
  LiveSocket socket(loop_, backend_.api, backend_.streams, std::move(opened));
  socket.on_secrets([&](const std::string& ns) {
    if (!backend_.audit) return;
    contract::AuditEntry entry;
    entry.user = visitor.name;
    entry.groups = visitor.groups;
    entry.verb = "watch";
    entry.resource = "secrets";
    entry.ns = ns;
    entry.code = 200;
    entry.source = peer;
    backend_.audit(std::move(entry));
  });
  co_await socket.run();
}

awaitable<void> Console::serve_socket(LoginSessionPtr session, http::Request request,
                                      http::ResponseWriter& writer) {
  std::string subprotocol = first_subprotocol(request.headers);
  auto socket = co_await open_guarded(clock_, writer, subprotocol, session);
  if (socket == nullptr) co_return;
  if (request.path == "/ws") {
    co_await until_ended(session,
                         run_live_socket(request.peer, session->visitor, std::move(socket)));
    co_return;
  }
  OpenedWriter opened(std::move(socket), std::move(subprotocol));
  co_await until_ended(session, backend_.answer_api(session->visitor, std::move(request), opened));
}

awaitable<void> Console::answer_api(http::Request request, http::ResponseWriter& writer) {
  http::Response response;
  if (asks_for_websocket(request)) {
    const LoginSessionPtr session = sessions_.find(cookie_value(request.headers, kCookie));
    if (session) co_return co_await serve_socket(session, std::move(request), writer);
    response = refuse_stranger(request);
  } else {
    LoginSessionPtr session = session_of(request);
    if (session == nullptr) session = cut_ticket(request);
    http::Request asked;  // what is left of it to tell of
    asked.method = request.method;
    asked.path = request.path;
    asked.peer = request.peer;
    if (session && request.path != "/ws") {
      co_await until_ended(session,
                           backend_.answer_api(session->visitor, std::move(request), writer));
      if (writer.answered()) co_return;
    }
    // Also for who has left meanwhile.
    response = session && !session->ended
                   ? refuse(400, "BadRequest", "this path speaks WebSocket only")
                   : refuse_stranger(asked);
  }
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

awaitable<void> Console::handle(http::Request request, http::ResponseWriter& plain_writer) {
  SecuredWriter writer(plain_writer, request.path.starts_with(kOpenPath) ? kOpenPolicy : kPolicy);
  http::Response response;
  if (auto refused = turn_away(request)) {
    if (refused->status == 403) write_down(request, "visit", nullptr, 403);
    response = *std::move(refused);
  } else if (is_api_path(request.path) || request.path == "/ws") {
    co_return co_await answer_api(std::move(request), writer);
  } else if (request.method == "POST" &&
             (request.path == "/login" || request.path == "/logout" || request.path == "/tickets" ||
              request.path == "/image" || request.path.starts_with(kOpenPath))) {
    response = co_await answer_post(std::move(request));
  } else if (request.method == "GET" || request.method == "HEAD") {
    response = is_help_path(request.path) ? serve_help(request.path, request.headers)
                                          : serve_file(request.path, request.headers);
  } else {
    response = refuse(405, "MethodNotAllowed", request.method + " is not served here");
  }
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

}  // namespace trainyard::console
