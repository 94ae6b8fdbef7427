#pragma once

#include "console/app_address.h"
#include "http/wire/message.h"

#include <string>
#include <string_view>

namespace trainyard::console {

/// All cookies of ours begin with this: apps neither get nor set any.
inline constexpr std::string_view kOwnCookies = "trainyard_";

/// A cookie's value in a Cookie header; empty when it is not there.
std::string_view cookie_value(const http::Headers& headers, std::string_view name);

/// What an app gets of a request's header: all but what is between two neighbours on the wire, and
/// nothing that would let it act as the visitor: no cookie of ours, no Authorization. Host stays as
/// the browser sent it, so that the app can tell its own origin from others.
http::Headers request_headers_for_app(const http::Request& request);

/// What the browser gets of an app's answer. Cookies are confined to the app's own host and path,
/// and the app's address goes to no other site by a Referer.
http::Headers response_headers_for_visitor(const http::Headers& answer, const AppAddress& app);

/// Whether a request asks to speak another protocol from here on, as WebSockets do.
bool asks_for_upgrade(const http::Headers& headers);

}  // namespace trainyard::console
