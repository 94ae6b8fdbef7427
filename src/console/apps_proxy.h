#pragma once

#include "console/app_activity.h"
#include "console/app_login.h"
#include "contract/audit_entry.h"
#include "http/server.h"

#include <cstdint>
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
  std::function<bool(const Visitor&, const AppRight&)> allows;
  /// Makes the apps' names; the same after a restart.
  std::string label_key;
  /// Where, and on which executor, it is written down who is logged in.
  Executor disk;
  std::filesystem::path sessions_file;
  /// Where it is written down who comes in, and who is refused.
  std::function<void(contract::AuditEntry)> audit = {};
};

/// Leads people to their TensorBoards and notebooks, at LABEL.localhost/NAMESPACE/KIND/NAME/: asks
/// who they are, whether they may, and passes requests, answers and WebSockets on, without keeping
/// much of them. AppLogin says what a label is. At 127.0.0.1 and localhost, where the API says that
/// apps are, is only a page that says how to get in.
class AppsProxy final : public http::Handler {
 public:
  AppsProxy(Executor loop, Clock& clock, AppsBackend backend);

  /// Once the ports are known.
  void set_ports(std::uint16_t own, std::string console_url);
  /// At the start: who was logged in still is.
  void load_sessions() { sessions_.load(); }
  /// Where the API says that apps are; it holds for everybody, and leads to the login.
  std::string url() const;
  AppActivity& activity() { return activity_; }
  /// A login link for that visitor, if they may use the app.
  awaitable<Result<std::string>> make_link(Visitor visitor, AppAddress app);
  /// Logs that person out of all apps.
  awaitable<void> log_out(std::string person) { return sessions_.end_all_of(std::move(person)); }

  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override;

 private:
  http::Response answer_at_door(const http::Request& request) const;
  awaitable<void> answer_at_label(std::string label, http::Request request,
                                  http::ResponseWriter& writer);
  awaitable<http::Response> log_in(const http::Request& request, std::string label);
  void write_down(const http::Request& request, const Visitor* who, const AppAddress* app,
                  int code) const;
  awaitable<Result<Visitor>> with_secret(Visitor visitor);
  awaitable<bool> is_still_known(Visitor visitor);
  bool may_use(const Visitor& visitor, const AppAddress& app) const;

  awaitable<void> serve(AppAddress app, http::Request request, http::ResponseWriter& writer);
  awaitable<void> forward(AppAddress app, Key pod, http::Request request,
                          http::ResponseWriter& writer);

  Executor loop_;
  AppsBackend backend_;
  std::uint16_t port_ = 0;
  std::string console_url_;
  Sessions sessions_;
  AppLogin login_;
  AppActivity activity_;
};

}  // namespace trainyard::console
