#pragma once

#include "client/pod_streams.h"
#include "http/server.h"
#include "server/auth.h"
#include "server/open_api.h"
#include "server/route.h"
#include "server/verbs.h"

namespace trainyard::server {

/// The Kubernetes API over HTTP: authenticates, routes, decodes, calls the verbs, encodes.
class RestHandler final : public http::Handler {
 public:
  RestHandler(Verbs& verbs, const Authenticator& authenticator, client::PodStreams& streams)
      : verbs_(verbs), authenticator_(authenticator), streams_(streams), open_api_(verbs.kinds()) {}

  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override;
  /// For a caller that has found out who is asking by itself, such as the console.
  awaitable<void> handle_as(User user, http::Request request, http::ResponseWriter& writer);

 private:
  /// What a request to a resource needs, found once.
  struct Call {
    const Kind* kind = nullptr;
    Route route;
    Form form = Form::kJson;
    Part part = Part::kMain;
    WriteOptions options;
  };

  awaitable<Result<>> answer(const http::Request& request, http::ResponseWriter& writer);
  awaitable<Result<>> answer_resource(const http::Request& request, Route route,
                                      http::ResponseWriter& writer);
  awaitable<Result<>> read(const http::Request& request, const Call& call,
                           http::ResponseWriter& writer);
  awaitable<Result<>> write(const http::Request& request, Call call, http::ResponseWriter& writer);
  awaitable<Result<ObjectPtr>> remove(const http::Request& request, const Call& call);
  awaitable<Result<>> watch(const http::Request& request, const Call& call,
                            http::ResponseWriter& writer);
  awaitable<Result<>> log(const http::Request& request, const Call& call,
                          http::ResponseWriter& writer);
  Json encode_list(const Call& call, const store::Listing& listing, const http::Query& query) const;
  Json encode_object(const Call& call, const ObjectPtr& object, const http::Query& query) const;

  Verbs& verbs_;
  const Authenticator& authenticator_;
  client::PodStreams& streams_;
  OpenApi open_api_;
};

}  // namespace trainyard::server
