#include "console/own_origin.h"

#include <fmt/format.h>

namespace trainyard::console {

void OwnOrigin::set(const std::string& host, std::uint16_t port) {
  authority_ = fmt::format("{}:{}", host, port);
  local_authority_ = fmt::format("localhost:{}", port);
}

bool OwnOrigin::is_named_by(const http::Request& request) const {
  const std::string_view host = request.headers.find("Host").value_or("");
  return host == authority_ || host == local_authority_;
}

bool OwnOrigin::is_behind(const http::Request& request) const {
  const auto origin = request.headers.find("Origin");
  if (origin) return *origin == "http://" + authority_ || *origin == "http://" + local_authority_;
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
