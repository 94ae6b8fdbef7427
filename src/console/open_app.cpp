#include "console/open_app.h"

#include "console/app_pages.h"
#include "console/own_origin.h"

#include <fmt/format.h>

namespace trainyard::console {
namespace {

/// Without any style: the console's policy forbids it here.
http::Response page(int status, const std::string& text) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Cache-Control", "no-store");
  response.body = fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Trainyard</title>{}", text);
  return response;
}

int status_of(Code code) {
  switch (code) {
    case Code::kForbidden:
      return 403;
    case Code::kNotFound:
      return 404;
    default:
      return 503;
  }
}

}  // namespace

bool is_own_click(const http::Request& request) {
  const std::string_view site = request.headers.find("Sec-Fetch-Site").value_or("");
  return is_visit(request) && request.method == "GET" && (site == "same-origin" || site == "none");
}

awaitable<http::Response> answer_open(std::string target, MakeAppLink make_link) {
  // The slash before the namespace belongs to the app's own path.
  const auto app = parse_app_target(std::string_view(target).substr(kOpenPath.size() - 1));
  if (!app) {
    co_return page(404,
                   "<p>No app has this address. It is <code>/open/NAMESPACE/tensorboard/NAME"
                   "</code> or <code>/open/NAMESPACE/notebook/NAME</code>.</p>");
  }
  const auto link = co_await make_link(*app);
  if (!link) {
    co_return page(status_of(link.error().code()),
                   fmt::format("<p>{}</p>", escape_html(link.error().message())));
  }
  http::Response response;
  response.status = 303;
  response.headers.add("Location", *link);
  response.headers.add("Cache-Control", "no-store");
  co_return response;
}

http::Response sign_in_page() {
  return page(401,
              "<p>You are not signed in to the console. <code>trainyard open</code> prints a login "
              "link; then open the app again.</p><p lang=\"zh\">您尚未登录控制台。请运行 "
              "<code>trainyard open</code> 获取登录链接，然后重新打开应用。</p>");
}

}  // namespace trainyard::console
