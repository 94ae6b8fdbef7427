#pragma once

#include "base/clock.h"
#include "client/api.h"
#include "client/pod_streams.h"
#include "console/app_address.h"
#include "console/own_origin.h"
#include "console/sessions.h"
#include "console/tickets.h"
#include "contract/audit_entry.h"
#include "http/server.h"

#include <functional>
#include <string>

namespace trainyard::console {

/// What the console needs from the server that it belongs to.
struct Backend {
  client::Api& api;
  client::PodStreams& streams;
  /// Answers /api and /apis for somebody who is logged in.
  std::function<awaitable<void>(Visitor, http::Request, http::ResponseWriter&)> answer_api;
  /// A login link into an app; refused where the apps' own door would refuse them.
  std::function<awaitable<Result<std::string>>(Visitor, AppAddress)> make_app_link;
  /// Logs that person out of all apps.
  std::function<awaitable<void>(std::string person)> leave_apps;
  /// What an image has on this machine: {"python": …, "venv": …, "known": …, "found": […]}.
  std::function<awaitable<Result<Json>>(std::string image)> look_into_image;
  /// Where, and on which executor, it is written down who is logged in.
  Executor disk;
  std::filesystem::path sessions_file;
  /// Where it is written down who logs in and out, and who is refused. What answer_api answers is
  /// written down there.
  std::function<void(contract::AuditEntry)> audit = {};
};

/// Serves the web console: its files, the login, the API for those who are logged in, and /ws.
///
///   GET  /login            the page, which finds the secret of a login link behind its address' #
///   POST /login            {"token": "…"}: a session: its cookie, and {"secret": "…"}
///   POST /logout           ends it
///   POST /tickets          {"path": "…"}: {"ticket": "…"} for one download, as ?ticket=
///   POST /image            {"image": "…"}: what is there of what jobs need
///   POST /open/NAMESPACE/KIND/NAME    {"link": "…"} into an app
///
/// A session's cookie alone is worth nothing, since browsers send it to all ports of this machine:
/// each request has the secret in a header, each WebSocket as its first message. Foreign Host and
/// Origin headers are refused on every path, so that no other page can use it.
class Console final : public http::Handler {
 public:
  Console(Executor loop, Clock& clock, Backend backend);

  /// Once the port is known: what Host must say, and where links lead.
  void set_origin(const std::string& host, std::uint16_t port) { origin_.set(host, port); }
  /// At the start: who was logged in still is.
  void load_sessions() { sessions_.load(); }
  std::string make_login_link(Visitor visitor);

  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override;

 private:
  /// Where Host or Origin are not ours.
  std::optional<http::Response> turn_away(const http::Request& request) const;
  LoginSessionPtr session_of(const http::Request& request) const;
  LoginSessionPtr cut_ticket(http::Request& request);

  awaitable<http::Response> answer_post(http::Request request);
  awaitable<http::Response> log_in(const http::Request& request, std::string token);
  awaitable<http::Response> log_out(const http::Request& request, LoginSessionPtr session);
  awaitable<http::Response> open_app(LoginSessionPtr session, std::string path);
  awaitable<http::Response> look_into_image(std::string image);
  http::Response give_ticket(const LoginSession& session, const Json& wanted);
  awaitable<void> answer_api(http::Request request, http::ResponseWriter& writer);
  awaitable<void> serve_socket(LoginSessionPtr session, http::Request request,
                               http::ResponseWriter& writer);
  awaitable<void> run_live_socket(std::string peer, Visitor visitor,
                                  std::unique_ptr<http::WebSocket> socket);
  void write_down(const http::Request& request, std::string verb, const Visitor* who,
                  int code) const;
  http::Response refuse_stranger(const http::Request& request) const;

  Executor loop_;
  Clock& clock_;
  Backend backend_;
  Sessions sessions_;
  Tickets tickets_;
  OwnOrigin origin_;
};

}  // namespace trainyard::console
