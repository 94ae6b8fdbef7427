#include "jobs/hooks/webhook_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace trainyard::jobs {
namespace {

constexpr std::size_t kLongest = 2048;

Error refused(const std::string& why) {
  return Error(Code::kInvalid, fmt::format("a webhook is an address such as "
                                           "https://chat.example.org/hooks/TOKEN: {}",
                                           why));
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  if (!host.starts_with("127.")) return false;
  return std::count(host.begin(), host.end(), '.') == 3 &&
         std::all_of(host.begin(), host.end(),
                     [](unsigned char c) { return c == '.' || std::isdigit(c) != 0; });
}

bool is_host_letter(unsigned char c) {
  return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
}

/// "chat.example.org:8443", or with an address in brackets.
Result<std::string_view> read_host(std::string_view place) {
  std::string_view host = place.substr(0, place.rfind(':'));
  if (place.starts_with('[')) {
    host = place.substr(0, place.find(']') == std::string_view::npos ? 0 : place.find(']') + 1);
    const bool whole =
        host.size() > 2 && std::all_of(host.begin() + 1, host.end() - 1, [](unsigned char c) {
          return c == ':' || c == '.' || std::isxdigit(c) != 0;
        });
    if (!whole) return refused("its host is no address");
  } else if (host.empty() || !std::all_of(host.begin(), host.end(), is_host_letter)) {
    return refused("it has no host");
  }
  const std::string_view rest = place.substr(host.size());
  if (rest.empty()) return host;
  const std::string_view port = rest.substr(1);
  const bool number =
      rest.front() == ':' && !port.empty() && port.size() <= 5 &&
      std::all_of(port.begin(), port.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!number || std::stoi(std::string(port)) > 65535 || std::stoi(std::string(port)) == 0) {
    return refused("its port is no number from 1 to 65535");
  }
  return host;
}

}  // namespace

Result<WebhookTarget> parse_webhook(std::string_view url) {
  if (url.size() > kLongest) return refused("it is longer than 2048 letters");
  const bool plain =
      std::all_of(url.begin(), url.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
  if (!plain) return refused("it has blanks or letters that must be encoded");
  const bool secure = url.starts_with("https://");
  if (!secure && !url.starts_with("http://")) return refused("it begins with https://");
  const std::string_view scheme = secure ? "https://" : "http://";
  std::string_view place = url.substr(scheme.size());
  std::string_view path;
  if (const std::size_t end = place.find_first_of("/?#"); end != std::string_view::npos) {
    path = place.substr(end);
    place = place.substr(0, end);
  }
  if (place.find('@') != std::string_view::npos) {
    return refused("a name and password before the host are not sent; put a token in the path");
  }
  TRY(const std::string_view host, read_host(place));
  if (!secure && !is_loopback(host)) {
    return refused(
        fmt::format("http:// is for this machine only (127.0.0.1), {} needs https://", host));
  }
  WebhookTarget target;
  target.origin = std::string(scheme) + std::string(place);
  path = path.substr(0, path.find('#'));
  target.path = path.starts_with('/') ? std::string(path) : "/" + std::string(path);
  return target;
}

}  // namespace trainyard::jobs
