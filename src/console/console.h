#pragma once

#include "base/clock.h"
#include "client/api.h"
#include "client/pod_streams.h"
#include "console/open_app.h"
#include "console/own_origin.h"
#include "console/sessions.h"
#include "http/server.h"

#include <functional>
#include <string>

namespace trainyard::console {

/// What the console needs from the server that it belongs to.
struct Backend {
  client::Api& api;
  client::PodStreams& streams;
  /// Whether the request carries an administrator's token; such a one may ask for login links.
  std::function<bool(const http::Request&)> is_admin;
  /// Answers /api and /apis for somebody who is logged in.
  std::function<awaitable<void>(http::Request, http::ResponseWriter&)> answer_api;
  /// For somebody who is logged in.
  MakeAppLink make_app_link;
  /// Signs the session cookies; the same after a restart.
  std::string session_key = random_hex(32);
};

/// Serves the web console: its files, the login, the API for those who are logged in, and /ws.
/// Refuses foreign Host and Origin headers on every path, so that no other page can use it.
class Console final : public http::Handler {
 public:
  Console(Executor loop, Clock& clock, Backend backend);

  /// Once the port is known: what Host must say, and where links lead.
  void set_origin(const std::string& host, std::uint16_t port) { origin_.set(host, port); }
  std::string make_login_link();

  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override;

 private:
  bool is_logged_in(const http::Request& request);
  http::Response answer_login(const http::Request& request);
  awaitable<http::Response> open_app(http::Request request);
  awaitable<void> serve_socket(http::ResponseWriter& writer);

  Executor loop_;
  Backend backend_;
  Sessions sessions_;
  OwnOrigin origin_;
};

}  // namespace trainyard::console
