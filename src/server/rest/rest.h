#pragma once

#include "client/curves.h"
#include "client/pod_sessions.h"
#include "client/pod_stacks.h"
#include "client/pod_streams.h"
#include "client/volume_files.h"
#include "contract/job_progress.h"
#include "contract/usage.h"
#include "contract/usage_history.h"
#include "http/server.h"
#include "server/access/auth.h"
#include "server/access/rbac.h"
#include "server/access/reviews.h"
#include "server/kinds/discovery.h"
#include "server/kinds/open_api.h"
#include "server/rest/request_metrics.h"
#include "server/route.h"
#include "server/verbs/verbs.h"

#include <functional>
#include <optional>

namespace trainyard::server {

/// Whether a request's body is a file, of any size: for http::ServerOptions.
bool streams_files(const http::Request& head);

/// The Kubernetes API over HTTP: who asks, may they, what do they ask for; then the verbs, and the
/// answer in the form that was asked for.
class RestHandler final : public http::Handler {
 public:
  RestHandler(Verbs& verbs, const Authenticator& authenticator, const Rbac& rbac,
              const Reviews& reviews, client::PodStreams& streams, client::PodSessions& sessions,
              contract::UsageSource& usage, contract::UsageHistories& histories,
              client::VolumeFiles& files, client::Curves& curves, client::PodStacks& stacks,
              contract::JobProgresses& progresses)
      : verbs_(verbs),
        authenticator_(authenticator),
        rbac_(rbac),
        reviews_(reviews),
        streams_(streams),
        sessions_(sessions),
        usage_(usage),
        histories_(histories),
        files_(files),
        curves_(curves),
        stacks_(stacks),
        progresses_(progresses),
        discovery_(verbs.kinds()),
        open_api_(verbs.kinds()) {}

  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override;
  /// For a caller that has found out who is asking by itself, such as the console.
  awaitable<void> handle_as(User user, http::Request request, http::ResponseWriter& writer);

  /// What others tell at /metrics.
  using MoreMetrics = std::function<void(monitor::MetricsText&)>;
  void set_more_metrics(MoreMetrics more) { more_metrics_ = std::move(more); }

  /// Makes a link that logs that user in to a page, which the JSON names: once, and soon.
  using LoginLinks = std::function<awaitable<Result<std::string>>(User, Json)>;
  void set_login_links(LoginLinks links) { login_links_ = std::move(links); }

 private:
  /// What a request to a resource needs, found once.
  struct Call {
    const http::Request& request;
    const User& user;
    KindPtr kind;
    Route route;
    std::string verb;
    Form form = Form::kJson;
    Part part = Part::kMain;
    http::ResponseWriter& writer;
    std::vector<std::string> warnings;
  };

  awaitable<void> answer_error(const http::Request& request, http::ResponseWriter& writer,
                               Error error);
  awaitable<Result<>> answer(const User& user, const http::Request& request,
                             const std::optional<Route>& route, const Access& access,
                             http::ResponseWriter& writer);
  Result<> check_access(const User& user, Access access) const;
  awaitable<Result<>> answer_path(const User& user, const http::Request& request,
                                  http::ResponseWriter& writer);
  awaitable<Result<>> give_login_link(const User& user, const http::Request& request,
                                      http::ResponseWriter& writer);
  awaitable<Result<>> answer_resource(const User& user, const http::Request& request, Route route,
                                      std::string verb, http::ResponseWriter& writer);

  // rest_read.cpp, rest_watch.cpp
  awaitable<Result<>> read(Call& call);
  awaitable<Result<>> watch(Call& call);
  struct WatchStream;
  awaitable<void> ring(WatchStream& stream);
  awaitable<void> follow(WatchStream& stream);
  awaitable<Result<>> send_events(WatchStream& stream);
  // rest_metrics.cpp
  awaitable<Result<>> read_metrics(Call& call);
  awaitable<std::vector<ObjectPtr>> measure(KindPtr kind, std::vector<ObjectPtr> objects);
  // rest_prometheus.cpp
  std::string metrics_text() const;
  awaitable<Result<>> answer_metrics(const http::Request& request, http::ResponseWriter& writer);
  // rest_usage.cpp
  awaitable<Result<>> read_usage(Call& call);
  // rest_progress.cpp
  awaitable<Result<>> list_progress(Call& call);
  std::vector<contract::LogFolderSource> log_folders_for(const User& user, const Json& pod) const;
  // rest_curves.cpp
  awaitable<Result<>> read_curves(Call& call);
  Result<> check_log_folders(const User& user, const std::string& ns,
                             const contract::LogPlaces& places) const;
  // rest_write.cpp
  awaitable<Result<Json>> decode(const http::Request& request,
                                 std::vector<std::string>& duplicates);
  awaitable<Result<>> write(Call& call);
  Result<> check_write(const Call& call, const Json& object, const Json* before) const;
  awaitable<Result<>> create(Call& call, WriteOptions options);
  awaitable<Result<>> update(Call& call, WriteOptions options);
  awaitable<Result<>> patch(Call& call, WriteOptions options);
  awaitable<Result<>> apply(Call& call, WriteOptions options);
  awaitable<Result<>> remove(Call& call);
  awaitable<Result<>> remove_collection(Call& call);
  // rest_subresources.cpp
  awaitable<Result<>> answer_subresource(Call& call);
  awaitable<Result<>> scale(Call& call);
  awaitable<Result<>> send_scale(Call& call, const Json& object);
  awaitable<Result<>> log(Call& call);
  awaitable<Result<>> send_lines(Call& call, client::LogOptions options, client::LineRange range);
  awaitable<Result<>> tell_line(Call& call, client::LogOptions options);
  awaitable<Result<>> search_log(Call& call, client::LogOptions options);
  awaitable<Result<>> list_kept(Call& call);
  awaitable<Result<>> stacks(Call& call);
  awaitable<Result<>> bind(Call& call);
  awaitable<Result<>> evict(Call& call);
  awaitable<Result<>> make_token(Call& call);
  // rest_files.cpp
  awaitable<Result<>> answer_files(Call& call);
  awaitable<Result<>> look_at_file(Call& call);
  awaitable<Result<>> send_file(Call& call);
  awaitable<Result<>> receive_file(Call& call);
  awaitable<Result<>> change_file(Call& call);
  // rest_sessions.cpp
  awaitable<Result<>> open_session(Call& call);
  awaitable<Result<>> refuse_port_forward(Call& call);

  awaitable<Result<>> send(Call& call, int status, std::string body);
  awaitable<Result<>> send_object(Call& call, int status, const ObjectPtr& object);

  Verbs& verbs_;
  const Authenticator& authenticator_;
  const Rbac& rbac_;
  const Reviews& reviews_;
  client::PodStreams& streams_;
  client::PodSessions& sessions_;
  contract::UsageSource& usage_;
  contract::UsageHistories& histories_;
  client::VolumeFiles& files_;
  client::Curves& curves_;
  client::PodStacks& stacks_;
  contract::JobProgresses& progresses_;
  Discovery discovery_;
  OpenApi open_api_;
  RequestMetrics requests_;
  MoreMetrics more_metrics_;
  LoginLinks login_links_;
};

}  // namespace trainyard::server
