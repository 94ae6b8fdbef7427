#pragma once

#include "server/audit/audited.h"
#include "server/kinds/discovery.h"
#include "server/kinds/open_api.h"
#include "server/rest/handlers.h"
#include "server/rest/request_metrics.h"
#include "server/wire/observed_writer.h"

#include <functional>
#include <optional>
#include <vector>

namespace trainyard::server {

/// Whether a request's body is a file, of any size: for http::ServerOptions.
bool streams_files(const http::Request& head);

/// The Kubernetes API over HTTP: who asks, may they, what do they ask for; then the verbs, and the
/// answer in the form that was asked for.
class RestHandler final : public http::Handler {
 public:
  explicit RestHandler(const Sources& sources);

  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override;
  /// For a caller that has found out who is asking by itself, such as the console.
  awaitable<void> handle_as(User user, http::Request request, http::ResponseWriter& writer);

  /// What others tell at /metrics.
  using MoreMetrics = std::function<void(monitor::MetricsText&)>;
  void set_more_metrics(MoreMetrics more) { more_metrics_ = std::move(more); }

  /// Makes a link that logs that user in to a page, which the JSON names: once, and soon.
  using LoginLinks = std::function<awaitable<Result<std::string>>(User, Json)>;
  void set_login_links(LoginLinks links) { login_links_ = std::move(links); }

  /// Where it is written down who did what.
  using Audit = std::function<void(contract::AuditEntry)>;
  void set_audit(Audit audit) { audit_ = std::move(audit); }

 private:
  /// Who proved to be there, and as whom they act.
  struct Caller {
    User user;
    std::optional<User> as;
  };
  awaitable<void> answer_caller(Caller caller, http::Request request, http::ResponseWriter& writer);
  ObservedWriter::Tell auditor(const Caller& caller, const Access& access,
                               const http::Request& request) const;
  awaitable<void> answer_error(const http::Request& request, http::ResponseWriter& writer,
                               Error error);
  awaitable<Result<>> answer(const User& user, const http::Request& request,
                             const std::optional<Route>& route, const Access& access,
                             ObservedWriter& writer);
  Result<> check_access(const User& user, Access access) const;
  awaitable<Result<>> answer_path(const User& user, const http::Request& request,
                                  http::ResponseWriter& writer);
  awaitable<Result<>> give_login_link(const User& user, const http::Request& request,
                                      http::ResponseWriter& writer);
  awaitable<Result<>> answer_resource(const User& user, const http::Request& request, Route route,
                                      std::string verb, ObservedWriter& writer);

  // rest_prometheus.cpp
  std::string metrics_text() const;
  awaitable<Result<>> answer_metrics(const http::Request& request, http::ResponseWriter& writer);

  Verbs& verbs_;
  const Authenticator& authenticator_;
  const Rbac& rbac_;
  std::vector<CallHandler> handlers_;  // one a row of the table
  Discovery discovery_;
  OpenApi open_api_;
  RequestMetrics requests_;
  MoreMetrics more_metrics_;
  LoginLinks login_links_;
  Audit audit_;
};

}  // namespace trainyard::server
