// exec and attach: a pod's subresources that become WebSockets.
#include "server/rest/handlers.h"
#include "server/wire/pod_channels.h"
#include "server/wire/session_socket.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

Result<client::SessionOptions> session_options(const http::Query& query) {
  client::SessionOptions options;
  options.container = query.get("container");
  options.input = query.flag("stdin");
  options.output = query.flag("stdout");
  options.errors = query.flag("stderr");
  options.tty = query.flag("tty");
  if (!options.input && !options.output && !options.errors) {
    return Error(Code::kBadRequest, "you must specify at least 1 of stdin, stdout, stderr");
  }
  if (options.tty && options.errors) {
    return Error(Code::kBadRequest,
                 "tty and stderr cannot both be true: a terminal has one output");
  }
  return options;
}

std::vector<std::string> command_of(const http::Query& query) {
  std::vector<std::string> command;
  for (const auto& [name, value] : query.all()) {
    if (name == "command") command.push_back(value);
  }
  return command;
}

/// kubectl before 1.34, and what else is built on its library, begins to read before it knows its
/// own streams, and drops what it cannot place: the output of a command, or how it ended. Elsewhere
/// a command takes longer to start than that; here it is held back for a moment.
constexpr auto kUntilStreamsAreKnown = std::chrono::milliseconds(50);

bool is_ours(const http::Request& request) {
  return request.headers.find("User-Agent").value_or("") == "trainyard";
}

bool is_websocket(const http::Request& request) {
  const std::string_view upgrade = request.headers.find("Upgrade").value_or("");
  constexpr std::string_view kWanted = "websocket";
  return request.method == "GET" &&
         std::equal(upgrade.begin(), upgrade.end(), kWanted.begin(), kWanted.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

awaitable<Result<>> open_session(Call& call, Verbs& verbs, client::PodSessions& sessions) {
  const std::string& name = call.route.subresource;
  const http::Query& query = call.request.query;
  CO_TRY_OK(verbs.get(*call.kind, call.route.key));
  CO_TRY(client::SessionOptions options, session_options(query));
  // Whatever else is wrong is said first: kubectl tries SPDY after each failure, and shows only
  // what that was told.
  CO_TRY_OK(co_await sessions.check(call.route.key, options, name == "attach"));
  if (!is_websocket(call.request)) {
    co_return Error(Code::kBadRequest,
                    fmt::format("{} is served over WebSocket only, not over SPDY: use kubectl 1.30 "
                                "or newer, without KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false",
                                name));
  }
  const auto subprotocol =
      choose_subprotocol(call.request.headers.find("Sec-WebSocket-Protocol").value_or(""));
  if (!subprotocol) {
    co_return Error(Code::kBadRequest,
                    "none of the offered subprotocols is spoken here: offer v5.channel.k8s.io or "
                    "v4.channel.k8s.io");
  }
  Result<std::unique_ptr<client::PodSession>> session;
  if (name == "exec") {
    session = co_await sessions.exec(call.route.key, options, command_of(query));
  } else {
    session = co_await sessions.attach(call.route.key, options);
  }
  if (!session) co_return std::move(session).error();
  CO_TRY(auto socket, co_await call.writer.upgrade(*subprotocol));
  const bool counted = *subprotocol == kCountedProtocol;  // the console's
  if (!counted && !is_ours(call.request)) co_await call.clock.sleep_for(kUntilStreamsAreKnown);
  const Executor loop = co_await boost::asio::this_coro::executor;
  SessionSocket carrier(loop, *std::move(session), std::move(options), std::move(socket), counted);
  co_await carrier.run();
  co_return Ok();
}

}  // namespace

CallHandler handle_session(const Sources& sources) {
  return handler(open_session, sources.verbs, sources.sessions);
}

}  // namespace trainyard::server
