#include "server/rest/rest.h"

#include "base/crypto/ids.h"
#include "base/elsewhere.h"
#include "base/log.h"
#include "server/status.h"
#include "server/wire/encode.h"
#include "server/wire/observed_writer.h"
#include "server/wire/request_options.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

bool is_health(const std::string& path) {
  return path == "/livez" || path == "/readyz" || path == "/healthz" || path == "/livez/ping" ||
         path == "/readyz/ping" || path == "/healthz/ping";
}

bool is_public(const std::string& path) {
  return is_health(path) || path == "/version" || path == "/version/";
}

bool accepts_open_api_protobuf(std::string_view accept) {
  return accept.find(kOpenApiProtobuf) != std::string_view::npos ||
         accept.find(kOpenApiProtobufAnswer) != std::string_view::npos;
}

std::string health(const http::Request& request) {
  if (!request.query.flag("verbose") && request.query.find("verbose") != "") return "ok";
  const std::string check = request.path.substr(1);
  return fmt::format("[+]ping ok\n[+]store ok\n[+]loop ok\n{} check passed\n", check);
}

bool is_pod_session(const Resource& resource, const std::string& subresource) {
  return resource == kPods &&
         (subresource == "exec" || subresource == "attach" || subresource == "portforward");
}

/// Counts a request from here to the end of whatever answers it, also when its client leaves.
class Counted {
 public:
  Counted(RequestMetrics& metrics, RequestLabels labels, const Clock& clock,
          const ObservedWriter& writer)
      : metrics_(metrics),
        labels_(std::move(labels)),
        clock_(clock),
        writer_(writer),
        begun_(clock.now()) {
    metrics_.begin(labels_);
  }
  ~Counted() {
    const std::chrono::duration<double> took = clock_.now() - begun_;
    metrics_.end(labels_, writer_.status(), took.count());
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  RequestMetrics& metrics_;
  RequestLabels labels_;
  const Clock& clock_;
  const ObservedWriter& writer_;
  TimePoint begun_;
};

bool is_file_request(const Route& route) {
  return route.resource == kVolumeClaims && route.subresource == "files" && !route.key.name.empty();
}

}  // namespace

awaitable<void> RestHandler::handle(http::Request request, http::ResponseWriter& writer) {
  Result<User> user = authenticator_.authenticate(request);
  if (!user && !is_public(request.path)) {
    requests_.refused(request.method, http_status(user.error().code()));
    co_await answer_error(request, writer, std::move(user).error());
    co_return;
  }
  if (user) user = impersonate(*user, request.headers, rbac_);
  if (!user && !is_public(request.path)) {
    requests_.refused(request.method, http_status(user.error().code()));
    co_await answer_error(request, writer, std::move(user).error());
    co_return;
  }
  co_await handle_as(user ? *std::move(user) : User{std::string(kAnonymous), "", {}, {}},
                     std::move(request), writer);
}

awaitable<void> RestHandler::handle_as(User user, http::Request request,
                                       http::ResponseWriter& writer) {
  const std::optional<Route> route = parse_route(request.path);
  const Access access = route ? access_to(request.method, *route, request.query)
                              : access_to(request.method, request.path);
  ObservedWriter observed(writer);
  const KindPtr kind = route ? verbs_.kinds().find(route->resource) : nullptr;
  const Counted counted(requests_, labels_of(access, kind, request.method), verbs_.clock(),
                        observed);
  Result<> done = co_await answer(user, request, route, access, observed);
  if (done || writer.answered() || done.failed_with(Code::kCancelled)) co_return;
  co_await answer_error(request, observed, std::move(done).error());
}

awaitable<void> RestHandler::answer_error(const http::Request& request,
                                          http::ResponseWriter& writer, Error error) {
  if (error.code() == Code::kInternal) {
    log_error("request failed",
              {{"method", request.method}, {"path", request.path}, {"cause", error.message()}});
  }
  const std::optional<Route> route = parse_route(request.path);
  const KindPtr kind = route ? verbs_.kinds().find(route->resource) : nullptr;
  http::Response response = kind == nullptr || error.code() == Code::kUnauthorized
                                ? error_response(error)
                                : error_response(error, *kind, route->key.name);
  // Who has gone meanwhile does not read it; there is nobody else to tell.
  [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
}

awaitable<Result<>> RestHandler::answer(const User& user, const http::Request& request,
                                        const std::optional<Route>& route, const Access& access,
                                        http::ResponseWriter& writer) {
  // Before anything is looked up: who may not ask learns nothing, not even what there is.
  if (!is_public(request.path)) CO_TRY_OK(check_access(user, access));
  if (route) co_return co_await answer_resource(user, request, *route, access.verb, writer);
  co_return co_await answer_path(user, request, writer);
}

Result<> RestHandler::check_access(const User& user, Access access) const {
  // Whoever may get a job may see its curves.
  if (access.subresource == client::kCurves && contract::may_have_logs(access.resource)) {
    access.subresource.clear();
  }
  Result<> allowed = rbac_.check(user, access);
  // Over WebSocket a session begins with GET, where it was POST before: whoever may do the one, as
  // roles for exec have always said it, may do the other.
  if (allowed || access.verb != "get" || !is_pod_session(access.resource, access.subresource)) {
    return allowed;
  }
  access.verb = "create";
  return rbac_.check(user, access) ? Result<>(Ok()) : std::move(allowed);
}

/// By TLS, which is why it is here: the pages that it leads to are served without.
awaitable<Result<>> RestHandler::give_login_link(const User& user, const http::Request& request,
                                                 http::ResponseWriter& writer) {
  CO_TRY(Json wanted, parse_json(request.body.empty() ? "{}" : request.body));
  CO_TRY(const std::string link, co_await login_links_(user, std::move(wanted)));
  http::Response response = json_response(200, to_text(Json{{"link", link}}));
  response.headers.add("Cache-Control", "no-store");
  co_return co_await writer.send(std::move(response));
}

awaitable<Result<>> RestHandler::answer_path(const User& user, const http::Request& request,
                                             http::ResponseWriter& writer) {
  std::string path = request.path;
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path == "/login-links" && request.method == "POST" && login_links_) {
    co_return co_await give_login_link(user, request, writer);
  }
  if (request.method != "GET" && request.method != "HEAD") {
    co_return Error(Code::kUnsupported,
                    fmt::format("{} is not served at {}", request.method, path));
  }
  if (is_health(path)) co_return co_await writer.send(text_response(health(request)));
  if (path == "/metrics") co_return co_await answer_metrics(request, writer);
  const std::string_view accept = request.headers.find("Accept").value_or("");
  std::optional<Discovery::Answer> found;
  if (path == "/openid/v1/jwks") {
    CO_TRY(const Json keys, authenticator_.signer().key_set());
    found = Discovery::Answer{"application/jwk-set+json", to_text(keys)};
  } else if (path == "/.well-known/openid-configuration") {
    const std::string_view host = request.headers.find("Host").value_or("localhost");
    found = Discovery::Answer{"application/json", to_text(TokenSigner::discovery(host))};
  } else if (!path.starts_with("/openapi/")) {
    found = discovery_.answer(path, accept);
  } else if (path == "/openapi/v2" && accepts_open_api_protobuf(accept)) {
    found = Discovery::Answer{kOpenApiProtobufAnswer, open_api_.protobuf_v2()};
  } else if (auto document = open_api_.answer(path)) {
    found = Discovery::Answer{"application/json", *std::move(document)};
  }
  if (!found) co_return Error(Code::kNotFound, fmt::format("nothing is served at {}", path));
  http::Response response;
  response.headers.add("Content-Type", found->content_type);
  const std::string tag = fmt::format("\"{:016X}\"", fnv1a(found->text));
  response.headers.add("ETag", tag);
  // The address of a document holds its hash: what is there never changes.
  if (request.query.find("hash")) response.headers.add("Cache-Control", "public, immutable");
  if (request.headers.find("If-None-Match") == tag) {
    response.status = 304;
    co_return co_await writer.send(std::move(response));
  }
  response.body = std::move(found->text);
  compress(request, response);
  co_return co_await writer.send(std::move(response));
}

awaitable<Result<>> RestHandler::answer_resource(const User& user, const http::Request& request,
                                                 Route route, std::string verb,
                                                 http::ResponseWriter& writer) {
  Call call{request,
            user,
            verbs_.kinds().find(route.resource),
            {},
            std::move(verb),
            Form::kJson,
            Part::kMain,
            writer,
            {}};
  if (call.kind == nullptr) {
    co_return Error(Code::kNotFound, "the server could not find the requested resource");
  }
  call.route = std::move(route);
  if (!call.kind->namespaced && !call.route.key.ns.empty()) {
    co_return Error(Code::kNotFound,
                    fmt::format("{} live outside of namespaces", call.kind->resource.plural));
  }
  const bool whole = call.route.subresource.empty();
  if (call.verb.empty() || (whole && !call.kind->serves(call.verb))) {
    co_return Error(Code::kUnsupported,
                    fmt::format("{} is not served at {}", request.method, request.path));
  }
  if (!call.kind->deprecation.empty()) call.warnings.push_back(call.kind->deprecation);
  if (is_file_request(call.route)) co_return co_await answer_files(call);
  call.form = choose_form(request.headers.find("Accept").value_or(""));
  const bool is_stream = call.route.subresource == "log" ||
                         is_pod_session(call.route.resource, call.route.subresource);
  if (call.form == Form::kNone && !is_stream) {
    http::Response refusal = refuse_type(406, "NotAcceptable", "only application/json is served");
    co_return co_await writer.send(std::move(refusal));
  }
  if (call.verb == "patch" && call.route.key.name.empty()) {
    co_return Error(Code::kUnsupported,
                    fmt::format("{} is not served at {}", request.method, request.path));
  }
  if (const std::string problem = body_type_problem(request); !problem.empty()) {
    http::Response refusal = refuse_type(415, "UnsupportedMediaType", problem);
    co_return co_await writer.send(std::move(refusal));
  }
  if (!whole) co_return co_await answer_subresource(call);
  // Ours: the pods of a namespace that are gone, and whose logs can still be read.
  const bool kept = call.verb == "list" && call.kind->resource == kPods &&
                    !call.route.key.ns.empty() && request.query.flag("kept");
  if (kept) co_return co_await list_kept(call);
  // Ours as well: how far the trainings in pods have come.
  const bool progress =
      call.verb == "list" && call.kind->resource == kPods && request.query.flag("progress");
  if (progress) co_return co_await list_progress(call);
  if (call.kind->resource.group == "metrics.k8s.io") co_return co_await read_metrics(call);
  if (call.kind->resource == contract::kPodUsages) co_return co_await read_usage(call);
  if (call.verb == "get" || call.verb == "list") co_return co_await read(call);
  if (call.verb == "watch") co_return co_await watch(call);
  co_return co_await write(call);
}

awaitable<Result<>> RestHandler::send(Call& call, int status, std::string body) {
  http::Response response = json_response(status, std::move(body));
  add_warnings(response, call.warnings);
  constexpr std::size_t kLong = 512UL << 10;
  if (response.body.size() < kLong) {
    compress(call.request, response);
  } else {
    http::Request asked;  // who is cancelled leaves the work behind: it has what it needs
    asked.headers = call.request.headers;
    auto work = [asked = std::move(asked), response = std::move(response)]() mutable {
      compress(asked, response);
      return std::move(response);
    };
    response = co_await run_elsewhere(verbs_.heavy(), std::move(work));
  }
  co_return co_await call.writer.send(std::move(response));
}

awaitable<Result<>> RestHandler::send_object(Call& call, int status, const ObjectPtr& object) {
  std::string body;
  append_object(body, *call.kind, call.form, object, call.request.query.get("includeObject"),
                verbs_.clock().wall());
  co_return co_await send(call, status, std::move(body));
}

}  // namespace trainyard::server
