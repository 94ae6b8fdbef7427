#include "console/answers.h"

#include "base/check.h"
#include "http/wire/gzip.h"
#include "object/json/json.h"

#include <array>

namespace trainyard::console {
namespace {

const char* content_type(std::string_view name) {
  struct Known {
    std::string_view ending;
    const char* type;
  };
  static constexpr std::array<Known, 7> kKnown{{{".html", "text/html; charset=utf-8"},
                                                {".js", "text/javascript; charset=utf-8"},
                                                {".css", "text/css; charset=utf-8"},
                                                {".svg", "image/svg+xml"},
                                                {".json", "application/json"},
                                                {".png", "image/png"},
                                                {".webp", "image/webp"}}};
  for (const Known& known : kKnown) {
    if (name.ends_with(known.ending)) return known.type;
  }
  return "application/octet-stream";
}

}  // namespace

http::Response respond(int status, const char* type, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", type);
  response.body = std::move(body);
  return response;
}

http::Response refuse(int status, const char* reason, const std::string& message) {
  return respond(status, "application/json",
                 to_text(Json{{"kind", "Status"},
                              {"apiVersion", "v1"},
                              {"status", "Failure"},
                              {"reason", reason},
                              {"message", message},
                              {"code", status}}));
}

http::Response respond_packed(std::string_view name, std::string_view packed,
                              const http::Headers& asked) {
  http::Response response = respond(200, content_type(name), "");
  response.headers.add("Vary", "Accept-Encoding");
  if (http::accepts_gzip(asked)) {
    response.body = packed;
    response.headers.add("Content-Encoding", "gzip");
    return response;
  }
  auto unpacked = http::unpack(packed);
  CHECK(unpacked);  // it is part of the program
  response.body = *std::move(unpacked);
  return response;
}

}  // namespace trainyard::console
