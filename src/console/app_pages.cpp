#include "console/app_pages.h"

#include "object/values/status.h"

#include <fmt/format.h>

namespace trainyard::console {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

struct Page {
  int status = 200;
  std::string title;
  std::string text;          // HTML
  std::string refresh = {};  // of <meta http-equiv=refresh>
};

http::Response make_page(const Page& page) {
  http::Response response;
  response.status = page.status;
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("Content-Security-Policy", kPolicy);
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "no-referrer");
  const std::string refresh =
      page.refresh.empty()
          ? ""
          : fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">", page.refresh);
  response.body = fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">{}<title>{}</title>"
      "<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:15vh auto;"
      "padding:0 1rem}}code{{background:#8882;padding:.1em .3em;border-radius:.2em}}</style>"
      "<h1>{}</h1>{}",
      refresh, page.title, page.title, page.text);
  return response;
}

/// "TensorBoard board" for people.
std::string title_of(const AppAddress& app) {
  const bool notebook = app.kind == AppAddress::Kind::kNotebook;
  return fmt::format("{} {}", notebook ? "Notebook" : "TensorBoard", escape_html(app.key.name));
}

std::string open_command(const AppAddress& app) {
  return escape_html(
      fmt::format("trainyard open {} {} -n {}", app.word(), app.key.name, app.key.ns));
}

std::string resume_command(const AppAddress& app) {
  return escape_html(fmt::format("kubectl patch {} {} -n {} --type merge -p '{}'", app.word(),
                                 app.key.name, app.key.ns, R"({"spec":{"suspend":false}})"));
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

http::Response login_page(const AppAddress& app, const std::string& console_url) {
  const std::string from_console = escape_html(console_url + "/open" + app.path());
  return make_page(
      {401, "Please log in",
       fmt::format(
           "<p>Whoever may use it gets a login link from <code>{0}</code>, or, logged in to "
           "the console, <a href=\"{1}\">opens it from there</a>.</p><p lang=\"zh\">请运行 "
           "<code>{0}</code> 获取登录链接；已登录控制台时，可<a href=\"{1}\">从控制台打开</a>。"
           "</p>",
           open_command(app), from_console)});
}

http::Response login_page() {
  return make_page({401, "Please log in",
                    "<p>TensorBoards and notebooks are served here. <code>trainyard open "
                    "tensorboard NAME</code> and <code>trainyard open notebook NAME</code> print "
                    "login links.</p>"});
}

http::Response spent_link_page() {
  return make_page({401, "This login link was used already or is too old",
                    "<p><code>trainyard open</code> prints a fresh one.</p><p lang=\"zh\">"
                    "此登录链接已使用或已过期，请运行 <code>trainyard open</code> "
                    "获取新的链接。</p>"});
}

http::Response welcome_page(const std::string& path) {
  const std::string to = escape_html(path);
  return make_page({200, "Trainyard", fmt::format("<p><a href=\"{0}\">{0}</a></p>", to),
                    fmt::format("0; url={}", to)});
}

http::Response forbidden_page(const AppAddress& app, const std::string& visitor) {
  const bool notebook = app.kind == AppAddress::Kind::kNotebook;
  return make_page(
      {403, "You may not use this",
       fmt::format("<p>{} has not the right to use {}s in the namespace {}{}. <code>trainyard user "
                   "add</code> gives roles.</p>",
                   escape_html(visitor), app.word(), escape_html(app.key.ns),
                   notebook ? ", which takes the right to run commands in pods" : "")});
}

http::Response missing_page(const AppAddress& app) {
  return make_page({404, fmt::format("{} is not there", title_of(app)),
                    fmt::format("<p>It was deleted, or never was in the namespace {}. "
                                "<code>kubectl get {}s -n {}</code> lists those that are.</p>",
                                escape_html(app.key.ns), app.word(), escape_html(app.key.ns))});
}

http::Response waiting_page(const AppAddress& app, const Json& object) {
  const std::string_view phase = string_at(object, "status.phase");
  if (bool_at(object, "spec.suspend")) {
    return make_page({503, fmt::format("{} is suspended", title_of(app)),
                      fmt::format("<p>It does not run, and keeps its files. <code>{}</code> brings "
                                  "it back.</p>",
                                  resume_command(app))});
  }
  const Json* ready = find_condition(object, "Ready");
  const std::string why = ready == nullptr ? "" : escape_html(string_at(*ready, "message"));
  const bool failed = phase == "Failed";
  http::Response response =
      make_page({503, fmt::format("{} {}", title_of(app), failed ? "has failed" : "is starting"),
                 fmt::format("<p>{}</p>", why), failed ? "10" : "1"});
  response.headers.add("Retry-After", failed ? "10" : "1");
  return response;
}

http::Response silent_page(const AppAddress& app, const std::string& cause) {
  http::Response response = make_page({502, fmt::format("{} does not answer", title_of(app)),
                                       fmt::format("<p>{}</p>", escape_html(cause)), "2"});
  response.headers.add("Retry-After", "2");
  return response;
}

http::Response refusal(int status, const char* reason, const std::string& message) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Cache-Control", "no-store");
  response.body = to_text(Json{{"kind", "Status"},
                               {"apiVersion", "v1"},
                               {"status", "Failure"},
                               {"reason", reason},
                               {"message", message},
                               {"code", status}});
  return response;
}

}  // namespace trainyard::console
