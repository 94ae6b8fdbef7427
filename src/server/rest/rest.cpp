#include "server/rest/rest.h"

#include "base/crypto/ids.h"
#include "base/log.h"
#include "server/rest/table.h"
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

Wire wire_of(const Resource& resource, const std::string& below) {
  const RestRow* row = find_subresource(resource, below);
  return row == nullptr ? Wire::kObjects : row->details.wire;
}

/// Whoever asks for a log accepts text, and is to hear, too, that there is none here.
bool is_asked_as_stream(const std::string& below) {
  const RestRow* row = find_subresource(below);
  return row != nullptr && row->details.wire == Wire::kStream;
}

/// Nobody answers that call.
Error nothing_here(const Call& call) {
  if (call.route.subresource.empty()) return call.not_served();
  return Error(Code::kNotFound, fmt::format("{} have no subresource \"{}\" here that serves {}",
                                            call.kind->resource.plural, call.route.subresource,
                                            call.request.method));
}

Access access_of(const http::Request& request, const std::optional<Route>& route) {
  return route ? access_to(request.method, *route, request.query)
               : access_to(request.method, request.path);
}

}  // namespace

bool streams_files(const http::Request& head) {
  const auto route = head.method == "PUT" ? parse_route(head.path) : std::nullopt;
  return route && wire_of(route->resource, route->subresource) == Wire::kFile;
}

RestHandler::RestHandler(const Sources& sources)
    : verbs_(sources.verbs),
      authenticator_(sources.authenticator),
      rbac_(sources.rbac),
      discovery_(sources.verbs.kinds(), told_subresources),
      open_api_(sources.verbs.kinds()) {
  for (const RestRow& row : rest_rows()) handlers_.push_back(row.handler(sources));
}

awaitable<void> RestHandler::handle(http::Request request, http::ResponseWriter& writer) {
  const Result<User> known = authenticator_.authenticate(request);
  Result<User> user = known ? impersonate(*known, request.headers, rbac_) : known;
  if (!user && !is_public(request.path)) {
    requests_.refused(request.method, http_status(user.error().code()));
    const std::optional<Route> route = parse_route(request.path);
    const Access access = access_of(request, route);
    const Caller caller{known ? *known : User(), std::nullopt};
    ObservedWriter observed(writer, auditor(caller, access, request));
    co_await answer_error(request, observed, std::move(user).error());
    co_return;
  }
  Caller caller{user ? *user : User{std::string(kAnonymous), "", {}, {}}, std::nullopt};
  if (user && user->name != known->name) caller = Caller{*known, *std::move(user)};
  co_await answer_caller(std::move(caller), std::move(request), writer);
}

awaitable<void> RestHandler::handle_as(User user, http::Request request,
                                       http::ResponseWriter& writer) {
  Caller caller{std::move(user), std::nullopt};
  co_await answer_caller(std::move(caller), std::move(request), writer);
}

awaitable<void> RestHandler::answer_caller(Caller caller, http::Request request,
                                           http::ResponseWriter& writer) {
  const std::optional<Route> route = parse_route(request.path);
  const Access access = access_of(request, route);
  ObservedWriter observed(writer, auditor(caller, access, request));
  const KindPtr kind = route ? verbs_.kinds().find(route->resource) : nullptr;
  const Counted counted(requests_, labels_of(access, kind, request.method), verbs_.clock(),
                        observed);
  const User& user = caller.as ? *caller.as : caller.user;
  Result<> done = co_await answer(user, request, route, access, observed);
  if (done || writer.answered() || done.failed_with(Code::kCancelled)) co_return;
  co_await answer_error(request, observed, std::move(done).error());
}

/// What it refers to must outlive it. Nothing is put together for what is not written down.
ObservedWriter::Tell RestHandler::auditor(const Caller& caller, const Access& access,
                                          const http::Request& request) const {
  if (!audit_) return {};
  return [this, &caller, &access, &request](int status, const std::string& about) -> std::string {
    if (!is_audited(access, request.query, status)) return {};
    contract::AuditEntry entry = audit_entry(access, request);
    entry.user = caller.user.name;
    entry.groups = caller.user.groups;
    if (caller.as) entry.as = caller.as->name;
    if (entry.name.empty()) entry.name = about;
    entry.code = status;
    entry.id = make_uuid();
    std::string id = entry.id;
    audit_(std::move(entry));
    return id;
  };
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
                                        ObservedWriter& writer) {
  // Before anything is looked up: who may not ask learns nothing, not even what there is.
  if (!is_public(request.path)) CO_TRY_OK(check_access(user, access));
  if (route) co_return co_await answer_resource(user, request, *route, access.verb, writer);
  co_return co_await answer_path(user, request, writer);
}

Result<> RestHandler::check_access(const User& user, Access access) const {
  const RestRow* below = find_subresource(access.resource, access.subresource);
  if (below != nullptr && below->details.as_its_object) access.subresource.clear();
  Result<> allowed = rbac_.check(user, access);
  // Over WebSocket a session begins with GET, where it was POST before: whoever may do the one, as
  // roles for exec have always said it, may do the other.
  const bool session = below != nullptr && below->details.wire == Wire::kSession;
  if (allowed || access.verb != "get" || !session) return allowed;
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
                                                 ObservedWriter& writer) {
  Call call{request,          user,           writer,
            verbs_.clock(),   verbs_.heavy(), verbs_.kinds().find(route.resource),
            std::move(route), std::move(verb)};
  if (call.kind == nullptr) {
    co_return Error(Code::kNotFound, "the server could not find the requested resource");
  }
  if (!call.kind->namespaced && !call.route.key.ns.empty()) {
    co_return Error(Code::kNotFound,
                    fmt::format("{} live outside of namespaces", call.kind->resource.plural));
  }
  const bool whole = call.route.subresource.empty();
  if (call.verb.empty() || (whole && !call.kind->serves(call.verb))) co_return call.not_served();
  if (!call.kind->deprecation.empty()) call.warnings.push_back(call.kind->deprecation);
  const Wire wire = wire_of(call.kind->resource, call.route.subresource);
  if (wire != Wire::kFile) {
    call.form = choose_form(request.headers.find("Accept").value_or(""));
    const bool wants_object = wire == Wire::kObjects && !is_asked_as_stream(call.route.subresource);
    if (call.form == Form::kNone && wants_object) {
      http::Response refusal = refuse_type(406, "NotAcceptable", "only application/json is served");
      co_return co_await writer.send(std::move(refusal));
    }
    if (call.verb == "patch" && call.route.key.name.empty()) co_return call.not_served();
    if (const std::string problem = body_type_problem(request); !problem.empty()) {
      http::Response refusal = refuse_type(415, "UnsupportedMediaType", problem);
      co_return co_await writer.send(std::move(refusal));
    }
  }
  const RestRow* row = find_row(*call.kind, call.route, call.verb, request.query);
  if (row == nullptr) co_return nothing_here(call);
  call.part = row->details.part;
  const auto place = static_cast<std::size_t>(row - rest_rows().data());
  co_return co_await handlers_[place](call);
}

}  // namespace trainyard::server
