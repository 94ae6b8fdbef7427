#include "console/app_headers.h"

#include "base/words/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace trainyard::console {
namespace {

/// Of one connection, not of the request: RFC 9110, 7.6.1.
constexpr std::array<std::string_view, 8> kHopByHop{
    "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
    "TE",         "Trailer",    "Transfer-Encoding"};
/// Ours to say, or to keep.
constexpr std::array<std::string_view, 7> kNotForApps{
    "Authorization",   "Cookie",           "Expect",           "Forwarded",
    "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"};
/// With these an answer would reach beyond its own path, and its address beyond its own origin.
constexpr std::array<std::string_view, 4> kNotForBrowsers{"Clear-Site-Data", "Referrer-Policy",
                                                          "Service-Worker-Allowed", "Set-Cookie"};

template <class List>
bool has(const List& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view other) { return equal_ignoring_case(name, other); });
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char divider) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(divider);
    const std::string_view part = trim(text.substr(0, end));
    if (!part.empty()) parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// What the Connection header names is of this connection, too.
std::vector<std::string_view> connection_options(const http::Headers& headers) {
  std::vector<std::string_view> options;
  for (const auto& [name, value] : headers.all()) {
    if (!equal_ignoring_case(name, "Connection")) continue;
    for (const std::string_view option : split(value, ',')) options.push_back(option);
  }
  return options;
}

/// A field that goes no further than to us.
bool ends_here(const std::string& name, const std::vector<std::string_view>& options) {
  return has(kHopByHop, name) || has(options, name);
}

std::string_view name_of_cookie(std::string_view pair) {
  return trim(pair.substr(0, pair.find('=')));
}

/// The cookies of a Cookie header that are the app's.
std::string cookies_for_app(const http::Headers& headers) {
  std::string cookies;
  for (const auto& [name, value] : headers.all()) {
    if (!equal_ignoring_case(name, "Cookie")) continue;
    for (const std::string_view pair : split(value, ';')) {
      if (name_of_cookie(pair).starts_with(kOwnCookies)) continue;
      cookies += fmt::format("{}{}", cookies.empty() ? "" : "; ", pair);
    }
  }
  return cookies;
}

bool lies_below(std::string_view path, std::string_view folder) {
  return path == folder ||
         (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

/// A Set-Cookie that reaches no further than its app; empty when the cookie is not the app's.
std::string confine_cookie(std::string_view cookie, const AppAddress& app) {
  const std::vector<std::string_view> parts = split(cookie, ';');
  // __Host- cookies must have the path /, which is not the app's.
  if (parts.empty() || name_of_cookie(parts[0]).starts_with(kOwnCookies) ||
      name_of_cookie(parts[0]).starts_with("__Host-")) {
    return {};
  }
  std::string confined(parts[0]);
  std::string path = app.path() + "/";
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view name = name_of_cookie(parts[i]);
    if (equal_ignoring_case(name, "Domain")) continue;
    if (!equal_ignoring_case(name, "Path")) {
      confined += fmt::format("; {}", parts[i]);
      continue;
    }
    const std::size_t equals = parts[i].find('=');
    const std::string_view wanted =
        equals == std::string_view::npos ? "" : trim(parts[i].substr(equals + 1));
    if (lies_below(wanted, app.path())) path = wanted;
  }
  return fmt::format("{}; Path={}", confined, path);
}

}  // namespace

std::string_view cookie_value(const http::Headers& headers, std::string_view name) {
  for (const auto& [field, value] : headers.all()) {
    if (!equal_ignoring_case(field, "Cookie")) continue;
    for (const std::string_view pair : split(value, ';')) {
      const std::size_t equals = pair.find('=');
      if (equals != std::string_view::npos && name_of_cookie(pair) == name) {
        return pair.substr(equals + 1);
      }
    }
  }
  return {};
}

bool asks_for_upgrade(const http::Headers& headers) {
  return headers.find("Upgrade").has_value() && has(connection_options(headers), "Upgrade");
}

http::Headers request_headers_for_app(const http::Request& request) {
  http::Headers passed;
  const bool upgrade = asks_for_upgrade(request.headers);
  const std::vector<std::string_view> options = connection_options(request.headers);
  for (const auto& [name, value] : request.headers.all()) {
    const bool is_upgrade = equal_ignoring_case(name, "Upgrade");
    if (is_upgrade ? !upgrade : ends_here(name, options) || has(kNotForApps, name)) continue;
    passed.add(name, value);
  }
  const std::string cookies = cookies_for_app(request.headers);
  if (!cookies.empty()) passed.add("Cookie", cookies);
  passed.add("X-Forwarded-For", request.peer.substr(0, request.peer.rfind(':')));
  passed.add("X-Forwarded-Host", std::string(request.headers.find("Host").value_or("")));
  passed.add("X-Forwarded-Proto", "http");
  return passed;
}

http::Headers response_headers_for_visitor(const http::Headers& answer, const AppAddress& app) {
  http::Headers passed;
  const std::vector<std::string_view> options = connection_options(answer);
  for (const auto& [name, value] : answer.all()) {
    if (equal_ignoring_case(name, "Set-Cookie")) {
      std::string confined = confine_cookie(value, app);
      if (!confined.empty()) passed.add(name, std::move(confined));
      continue;
    }
    // An answer that switches the protocol says to which.
    const bool is_upgrade = equal_ignoring_case(name, "Upgrade");
    if (!is_upgrade && (ends_here(name, options) || has(kNotForBrowsers, name))) continue;
    if (equal_ignoring_case(name, "Date")) continue;  // the server writes its own
    passed.add(name, value);
  }
  // The app's name is nobody else's to know: see AppLogin.
  passed.add("Referrer-Policy", "same-origin");
  return passed;
}

}  // namespace trainyard::console
