#pragma once

#include "console/app_activity.h"
#include "console/app_login.h"
#include "console/own_origin.h"
#include "http/server.h"

#include <functional>
#include <string>

namespace trainyard::console {

/// One thing that a visitor must be allowed to do.
struct AppRight {
  std::string verb;
  Resource resource;
  std::string subresource;
  Key key;
};

/// What using an app takes: to see it; and for a notebook, which is a shell, to run commands in
/// pods.
std::vector<AppRight> rights_for(const AppAddress& app);

/// What the proxy needs from the server that it belongs to.
struct AppsBackend {
  client::Api& api;
  client::PodPorts& ports;
  /// Who sends the request, by its token or certificate; nothing: nobody known.
  std::function<std::optional<Visitor>(const http::Request&)> authenticate;
  std::function<bool(const Visitor&, const AppRight&)> allows;
  /// Signs the cookies; the same after a restart.
  std::string session_key;
};

/// Leads people to their TensorBoards and notebooks, at /NAMESPACE/KIND/NAME/: asks who they are,
/// whether they may, and passes requests, answers and WebSockets on, without keeping much of them.
/// It has an address of its own: what runs in an app must not act in the console's name. Apps are
/// one origin among each other, so their cookies are confined to their paths.
class AppsProxy final : public http::Handler {
 public:
  AppsProxy(Executor loop, Clock& clock, AppsBackend backend);

  /// Once the port is known: what Host must say, and where links lead.
  void set_origin(const std::string& host, std::uint16_t port) { origin_.set(host, port); }
  std::string url() const { return origin_.url(); }
  AppActivity& activity() { return activity_; }
  /// A login link for that visitor, if they may use the app.
  awaitable<Result<std::string>> make_link(Visitor visitor, AppAddress app);

  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override;

 private:
  awaitable<void> answer(http::Request request, http::ResponseWriter& writer);
  http::Response answer_login(const http::Request& request);
  awaitable<http::Response> answer_link_request(http::Request request,
                                                http::ResponseWriter& writer);
  awaitable<std::optional<Visitor>> identify(const http::Request& request, AppAddress app);
  awaitable<Result<Visitor>> with_secret(Visitor visitor);
  awaitable<bool> is_still_known(Visitor visitor);
  bool may_use(const Visitor& visitor, const AppAddress& app) const;

  awaitable<void> serve(AppAddress app, http::Request request, http::ResponseWriter& writer);
  awaitable<void> forward(AppAddress app, Key pod, http::Request request,
                          http::ResponseWriter& writer);

  Executor loop_;
  AppsBackend backend_;
  OwnOrigin origin_;
  AppLogin login_;
  AppActivity activity_;
};

}  // namespace trainyard::console
