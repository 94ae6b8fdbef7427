#pragma once

#include "client/pod_sessions.h"
#include "client/pod_streams.h"
#include "client/usage.h"
#include "http/server.h"
#include "server/auth.h"
#include "server/discovery.h"
#include "server/open_api.h"
#include "server/rbac.h"
#include "server/reviews.h"
#include "server/route.h"
#include "server/verbs.h"

namespace trainyard::server {

/// The Kubernetes API over HTTP: who asks, may they, what do they ask for; then the verbs, and the
/// answer in the form that was asked for.
class RestHandler final : public http::Handler {
 public:
  RestHandler(Verbs& verbs, const Authenticator& authenticator, const Rbac& rbac,
              const Reviews& reviews, client::PodStreams& streams, client::PodSessions& sessions,
              client::UsageSource& usage)
      : verbs_(verbs),
        authenticator_(authenticator),
        rbac_(rbac),
        reviews_(reviews),
        streams_(streams),
        sessions_(sessions),
        usage_(usage),
        discovery_(verbs.kinds()),
        open_api_(verbs.kinds()) {}

  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override;
  /// For a caller that has found out who is asking by itself, such as the console.
  awaitable<void> handle_as(User user, http::Request request, http::ResponseWriter& writer);

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
                             http::ResponseWriter& writer);
  Result<> check_access(const User& user, Access access) const;
  awaitable<Result<>> answer_path(const http::Request& request, http::ResponseWriter& writer);
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
  // rest_write.cpp
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
  awaitable<Result<>> list_kept(Call& call);
  awaitable<Result<>> bind(Call& call);
  awaitable<Result<>> evict(Call& call);
  awaitable<Result<>> make_token(Call& call);
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
  client::UsageSource& usage_;
  Discovery discovery_;
  OpenApi open_api_;
};

}  // namespace trainyard::server
