#include "http/wire/url.h"

#include <charconv>
#include <cstdint>
#include <string_view>

namespace trainyard::http {
namespace {

Error bad_url(const std::string& url, const char* why) {
  return Error(Code::kInvalid, "server address \"" + url + "\": " + why);
}

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failure == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<ServerAddress> parse_server_url(const std::string& url) {
  ServerAddress address;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    address.tls = false;
  } else {
    return bad_url(url, "must begin with https:// or http://");
  }
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  std::string_view prefix = rest.substr(authority.size());
  prefix = prefix.substr(0, prefix.find_first_of("?#"));
  while (prefix.ends_with('/')) prefix.remove_suffix(1);

  std::string_view port;
  std::string_view host = authority;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return bad_url(url, "has no ] after the IPv6 address");
    host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else if (const std::size_t colon = authority.rfind(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (host.empty()) return bad_url(url, "has no host");
  if (!port.empty() && !(port[0] == ':' && is_port(port.substr(1)))) {
    return bad_url(url, "has no valid port");
  }
  address.host = host;
  address.port = port.empty() ? (address.tls ? "443" : "80") : port.substr(1);
  address.authority = authority;
  address.prefix = prefix;
  return address;
}

}  // namespace trainyard::http
