#include "console/console.h"

#include "console/answers.h"
#include "console/app_headers.h"
#include "console/help_pages.h"
#include "console/live_socket.h"
#include "embedded/pages.h"
#include "object/json.h"

#include <fmt/format.h>

namespace trainyard::console {
namespace {

constexpr std::string_view kCookie = "trainyard_session";
constexpr std::string_view kCookieRules = "Path=/; HttpOnly; SameSite=Strict";
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src "
    "'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

void add_security_headers(http::Headers& headers) {
  headers.add("Content-Security-Policy", kPolicy);
  headers.add("X-Content-Type-Options", "nosniff");
  headers.add("Referrer-Policy", "no-referrer");
  headers.add("Cross-Origin-Opener-Policy", "same-origin");
}

/// Adds the security headers to every answer, also to those that the API gives.
class SecuredWriter final : public http::ResponseWriter {
 public:
  explicit SecuredWriter(http::ResponseWriter& writer) : writer_(writer) {}

  awaitable<Result<>> send(http::Response response) override {
    add_security_headers(response.headers);
    return writer_.send(std::move(response));
  }
  awaitable<Result<>> start(int status, http::Headers headers) override {
    add_security_headers(headers);
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
  http::ResponseWriter& writer_;
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

/// Where the console shows NAMESPACE/JOB; its first page for anything that is not one.
std::string page_of(std::string_view job) {
  const std::size_t slash = job.find('/');
  if (slash == std::string_view::npos || !check_label_name(job.substr(0, slash)).empty() ||
      !check_subdomain_name(job.substr(slash + 1)).empty()) {
    return "/";
  }
  return fmt::format("/#/jobs/{}", job);
}

/// /openapi/v3 has the schemas, from which the editor of manifests helps.
bool is_api_path(std::string_view path) {
  return path == "/api" || path == "/apis" || path.starts_with("/api/") ||
         path.starts_with("/apis/") || path == "/openapi/v3" || path.starts_with("/openapi/v3/");
}

}  // namespace

Console::Console(Executor loop, Clock& clock, Backend backend)
    : loop_(std::move(loop)),
      backend_(std::move(backend)),
      sessions_(clock, backend_.session_key) {}

std::string Console::make_login_link() {
  return fmt::format("{}/login?token={}", origin_.url(), sessions_.make_link_secret());
}

bool Console::is_logged_in(const http::Request& request) {
  return sessions_.is_valid(cookie_value(request.headers, kCookie));
}

http::Response Console::answer_login(const http::Request& request) {
  const auto session = sessions_.redeem(request.query.get("token"));
  if (!session) {
    return respond(401, "text/html; charset=utf-8",
                   "<!doctype html><title>Trainyard</title><p>This login link was used already or "
                   "is too old. <code>trainyard open</code> prints a fresh one.</p>"
                   "<p lang=\"zh\">此登录链接已使用或已过期，请运行 <code>trainyard open</code> "
                   "获取新的链接。</p>");
  }
  // Not a redirect: a Strict cookie is not sent along when a link from elsewhere led here.
  http::Response response =
      respond(200, "text/html; charset=utf-8",
              fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={0}\">"
                          "<title>Trainyard</title><p><a href=\"{0}\">Build Console</a></p>",
                          page_of(request.query.get("job"))));
  response.headers.add("Set-Cookie",
                       fmt::format("{}={}; {}; Max-Age=604800", kCookie, *session, kCookieRules));
  response.headers.add("Cache-Control", "no-store");
  return response;
}

awaitable<http::Response> Console::open_app(http::Request request) {
  if (!is_own_click(request)) {
    co_return refuse(403, "Forbidden", "apps are opened by a click on a link of the console");
  }
  if (!is_logged_in(request)) co_return sign_in_page();
  co_return co_await answer_open(request.target, backend_.make_app_link);
}

awaitable<void> Console::serve_socket(http::ResponseWriter& writer) {
  auto upgraded = co_await writer.upgrade("");
  if (!upgraded) co_return;
  LiveSocket socket(loop_, backend_.api, backend_.streams, *std::move(upgraded));
  co_await socket.run();
}

awaitable<void> Console::handle(http::Request request, http::ResponseWriter& plain_writer) {
  SecuredWriter writer(plain_writer);
  http::Response response;
  // A link from elsewhere may lead to the first page, which does nothing by itself.
  const bool first_visit =
      request.method == "GET" && request.path == "/" && !request.headers.find("Origin").has_value();
  if (!origin_.is_named_by(request)) {
    response =
        refuse(421, "Forbidden", fmt::format("this console is served at {}/ only", origin_.url()));
  } else if (request.path == "/login" && request.method == "GET") {
    response = answer_login(request);
  } else if (!origin_.is_behind(request) && !first_visit) {
    response = refuse(403, "Forbidden", "this request comes from another site");
  } else if (request.path == "/login-links" && request.method == "POST" &&
             backend_.is_admin(request)) {
    response = respond(200, "application/json", to_text(Json{{"link", make_login_link()}}));
  } else if (request.path == "/logout" && request.method == "POST") {
    response = respond(200, "application/json", "{}");
    response.headers.add("Set-Cookie", fmt::format("{}=; {}; Max-Age=0", kCookie, kCookieRules));
  } else if (request.path.starts_with(kOpenPath)) {
    response = co_await open_app(std::move(request));
  } else if (is_api_path(request.path) || request.path == "/ws") {
    const bool socket = request.path == "/ws";
    if (is_logged_in(request)) {
      if (!socket) co_return co_await backend_.answer_api(std::move(request), writer);
      if (request.headers.find("Upgrade")) co_return co_await serve_socket(writer);
      response = refuse(400, "BadRequest", "this path speaks WebSocket only");
    } else {
      response = refuse(401, "Unauthorized", "log in with the link that `trainyard open` prints");
    }
  } else if (request.method == "GET" || request.method == "HEAD") {
    response = is_help_path(request.path) ? serve_help(request.path, request.headers)
                                          : serve_file(request.path, request.headers);
  } else {
    response = refuse(405, "MethodNotAllowed", request.method + " is not served here");
  }
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

}  // namespace trainyard::console
