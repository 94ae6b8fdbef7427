#include "console/own_origin.h"

#include <fmt/format.h>

namespace trainyard::console {

void OwnOrigin::set(const std::string& host, std::uint16_t port) {
  // The name would lead to ::1, too.
  authority_ = fmt::format("{}:{}", host == "localhost" ? "127.0.0.1" : host, port);
  local_authority_ = fmt::format("localhost:{}", port);
  port_ = port;
}

bool OwnOrigin::is_named_by(const http::Request& request) const {
  return request.headers.find("Host").value_or("") == authority_;
}

bool OwnOrigin::is_called_localhost(const http::Request& request) const {
  return request.headers.find("Host").value_or("") == local_authority_;
}

bool is_from_own_page(const http::Request& request) {
  if (const auto origin = request.headers.find("Origin")) {
    const std::string_view host = request.headers.find("Host").value_or("");
    return origin->starts_with("http://") && origin->substr(7) == host;
  }
  // Without Origin (a plain visit, a command-line client) the browser still says where it is from.
  const auto site = request.headers.find("Sec-Fetch-Site");
  return !site || *site == "same-origin" || *site == "none";
}

bool is_visit(const http::Request& request) {
  return (request.method == "GET" || request.method == "HEAD") && !request.headers.find("Origin") &&
         request.headers.find("Sec-Fetch-Mode").value_or("") == "navigate" &&
         request.headers.find("Sec-Fetch-Dest").value_or("") == "document";
}

}  // namespace trainyard::console
