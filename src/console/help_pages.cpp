#include "console/help_pages.h"

#include "console/answers.h"
#include "embedded/docs.h"

#include <algorithm>

namespace trainyard::console {
namespace {

constexpr std::string_view kFolder = "/docs/";

http::Response lead_to(const std::string& place) {
  http::Response response = respond(302, "text/plain; charset=utf-8", "");
  response.headers.add("Location", place);
  return response;
}

http::Response answer_missing() {
  if (embedded::docs().empty()) {
    return respond(404, "text/html; charset=utf-8",
                   "<!doctype html><title>Trainyard</title><p>This program was built without its "
                   "documents: <code>tools/docs</code> says why. They are in the folder "
                   "<code>docs</code> of its sources.</p>");
  }
  return respond(404, "text/html; charset=utf-8",
                 "<!doctype html><title>Trainyard</title><p>There is no such page: "
                 "<a href=\"/docs/\">begin here</a>.</p><p lang=\"zh\">没有这个页面："
                 "<a href=\"/docs/\">从这里开始</a>。</p>");
}

}  // namespace

bool is_help_path(std::string_view path) {
  return path == "/docs" || path.starts_with(kFolder);
}

http::Response serve_help(std::string_view path, const http::Headers& asked) {
  // Links of a page count from its folder, which the address therefore has to name.
  if (path == "/docs" || path == "/docs/en" || path == "/docs/zh") {
    return lead_to(std::string(path) + "/");
  }
  std::string wanted(path.substr(kFolder.size()));
  if (wanted.empty() || wanted.ends_with('/')) wanted += "index.html";
  const auto files = embedded::docs();
  const auto found = std::ranges::find(files, std::string_view(wanted), &embedded::File::name);
  http::Response response =
      found == files.end() ? answer_missing() : respond_packed(found->name, found->bytes, asked);
  // Another version of the program has other pages under the same names.
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

}  // namespace trainyard::console
