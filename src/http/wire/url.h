#pragma once

#include "base/result.h"

#include <string>

namespace trainyard::http {

/// Where a client connects to, taken from https://host:port/prefix.
struct ServerAddress {
  bool tls = true;
  std::string host;       // without the brackets of an IPv6 address
  std::string port;       //
  std::string authority;  // host:port as the Host header and error messages write it
  std::string prefix;     // goes before every target; without a slash at its end
};

Result<ServerAddress> parse_server_url(const std::string& url);

}  // namespace trainyard::http
