#include "server/rest.h"

#include "base/log.h"
#include "object/protobuf.h"
#include "object/table.h"
#include "object/yaml.h"
#include "server/discovery.h"
#include "server/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::server {
namespace {

constexpr const char* kJsonType = "application/json";

http::Response json_response(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", kJsonType);
  response.body = std::move(body);
  return response;
}

http::Response text_response(std::string text) {
  http::Response response;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(text);
  return response;
}

/// For the two statuses that belong to HTTP alone and have no Code.
http::Response refuse_type(int status, const char* reason, const std::string& message) {
  Json body = status_of(Error(Code::kUnsupported, message));
  body.get_object()["reason"] = reason;
  body.get_object()["code"] = status;
  return json_response(status, to_text(body));
}

bool is_public(const std::string& path) {
  return path == "/livez" || path == "/readyz" || path == "/healthz" || path == "/version";
}

Result<FieldValidation> field_validation(const http::Query& query) {
  const std::string mode = query.get("fieldValidation");
  if (mode.empty() || mode == "Warn") return FieldValidation::kWarn;
  if (mode == "Ignore") return FieldValidation::kIgnore;
  if (mode == "Strict") return FieldValidation::kStrict;
  return Error(Code::kBadRequest, fmt::format("fieldValidation: Unsupported value: \"{}\": "
                                              "supported values: Ignore, Strict, Warn",
                                              mode));
}

Result<bool> dry_run(const http::Query& query) {
  const std::string mode = query.get("dryRun");
  if (mode.empty()) return false;
  if (mode == "All") return true;
  return Error(Code::kBadRequest,
               fmt::format("dryRun: Unsupported value: \"{}\": supported values: All", mode));
}

std::string media_type(const http::Request& request) {
  std::string type(request.headers.find("Content-Type").value_or(kJsonType));
  return type.substr(0, type.find(';'));
}

Result<Json> decode_body(const http::Request& request) {
  const std::string type = media_type(request);
  if (type == "application/yaml") return parse_json_or_yaml(request.body);
  if (type != "application/vnd.kubernetes.protobuf") return parse_json(request.body);
  Result<Json> body = decode_protobuf(request.body);
  // The media type is served: what cannot be read is a kind that does not belong here.
  if (body.failed_with(Code::kUnsupported)) return Error(Code::kBadRequest, body.error().message());
  return body;
}

std::optional<client::PatchType> patch_type(const http::Request& request) {
  const std::string type = media_type(request);
  if (type == "application/merge-patch+json") return client::PatchType::kMerge;
  if (type == "application/strategic-merge-patch+json") return client::PatchType::kStrategic;
  if (type == "application/json-patch+json") return client::PatchType::kJson;
  return std::nullopt;
}

/// What is wrong with the type of the body; empty when it can be read.
std::string body_type_problem(const http::Request& request) {
  if (request.method == "PATCH" && !patch_type(request)) {
    return fmt::format(
        "patches of type {} are not supported: use application/merge-patch+json, "
        "application/strategic-merge-patch+json or application/json-patch+json",
        media_type(request));
  }
  return "";
}

Json metadata_only(const Json& object) {
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", object_at(object, "metadata")}};
}

client::ListOptions list_options(const Route& route, const http::Query& query) {
  client::ListOptions options;
  options.ns = route.key.ns;
  options.labels = query.get("labelSelector");
  options.fields = query.get("fieldSelector");
  return options;
}

Result<std::optional<std::int64_t>> integer_parameter(const http::Query& query,
                                                      std::string_view name) {
  const std::string text = query.get(name);
  if (text.empty()) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < 0) {
    return Error(Code::kBadRequest,
                 fmt::format("{}: Invalid value: \"{}\": must be a number, 0 or more", name, text));
  }
  return std::optional<std::int64_t>(value);
}

std::string quoted_warning(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fmt::format("299 - \"{}\"", escaped);
}

}  // namespace

awaitable<void> RestHandler::handle(http::Request request, http::ResponseWriter& writer) {
  if (!is_public(request.path)) {
    if (const auto user = authenticator_.authenticate(request); !user) {
      // Not awaited for its outcome: whoever has no token may leave early.
      [[maybe_unused]] const auto sent =
          co_await writer.send(json_response(401, to_text(status_of(user.error()))));
      co_return;
    }
  }
  co_await handle_as(User{"admin"}, std::move(request), writer);
}

awaitable<void> RestHandler::handle_as(User, http::Request request, http::ResponseWriter& writer) {
  const Result<> done = co_await answer(request, writer);
  if (done || writer.answered() || done.failed_with(Code::kCancelled)) co_return;
  if (done.failed_with(Code::kInternal)) {
    log_error(
        "request failed",
        {{"method", request.method}, {"path", request.path}, {"cause", done.error().message()}});
  }
  [[maybe_unused]] const auto sent = co_await writer.send(
      json_response(http_status(done.error().code()), to_text(status_of(done.error()))));
}

awaitable<Result<>> RestHandler::answer(const http::Request& request,
                                        http::ResponseWriter& writer) {
  const std::string& path = request.path;
  if (path == "/livez" || path == "/readyz" || path == "/healthz") {
    co_return co_await writer.send(text_response("ok"));
  }
  if (path.starts_with("/openapi/")) {
    if (auto document = open_api_.answer(path)) {
      co_return co_await writer.send(json_response(200, *std::move(document)));
    }
  }
  if (const auto route = parse_route(path)) {
    co_return co_await answer_resource(request, *route, writer);
  }
  if (const auto found = discover(verbs_.kinds(), path)) {
    co_return co_await writer.send(json_response(200, to_text(*found)));
  }
  co_return Error(Code::kNotFound, fmt::format("nothing is served at {}", path));
}

awaitable<Result<>> RestHandler::answer_resource(const http::Request& request, Route route,
                                                 http::ResponseWriter& writer) {
  Call call;
  call.kind = verbs_.kinds().find(route.resource);
  if (call.kind == nullptr) {
    co_return Error(Code::kNotFound, "the server could not find the requested resource");
  }
  if (!call.kind->namespaced && !route.key.ns.empty()) {
    co_return Error(Code::kNotFound,
                    fmt::format("{} live outside of namespaces", call.kind->resource.plural));
  }
  const bool status = route.subresource == "status" && call.kind->has_status;
  const bool log_asked = route.subresource == "log" && call.kind->resource == kPods;
  if (!route.subresource.empty() && !status && !log_asked) {
    co_return Error(Code::kNotFound, fmt::format("{} have no subresource \"{}\" here",
                                                 call.kind->resource.plural, route.subresource));
  }
  call.part = status ? Part::kStatus : Part::kMain;
  call.route = std::move(route);
  call.form = choose_form(request.headers.find("Accept").value_or(""));
  if (log_asked) co_return co_await log(request, call, writer);
  if (call.form == Form::kNone) {
    http::Response refusal = refuse_type(406, "NotAcceptable", "only application/json is served");
    co_return co_await writer.send(std::move(refusal));
  }
  if (request.method == "GET" || request.method == "HEAD") {
    co_return co_await read(request, call, writer);
  }
  if (const std::string problem = body_type_problem(request); !problem.empty()) {
    http::Response refusal = refuse_type(415, "UnsupportedMediaType", problem);
    co_return co_await writer.send(std::move(refusal));
  }
  co_return co_await write(request, std::move(call), writer);
}

Json RestHandler::encode_object(const Call& call, const ObjectPtr& object,
                                const http::Query& query) const {
  if (call.form == Form::kTable) {
    Json table =
        make_table(*call.kind, {object}, verbs_.clock().wall(), query.get("includeObject"), true);
    make_path(table, "metadata.resourceVersion") =
        string_at(object->body(), "metadata.resourceVersion");
    return table;
  }
  if (call.form == Form::kMetadata) return metadata_only(object->body());
  return object->body();
}

Json RestHandler::encode_list(const Call& call, const store::Listing& listing,
                              const http::Query& query) const {
  Json list;
  if (call.form == Form::kTable) {
    list = make_table(*call.kind, listing.objects, verbs_.clock().wall(),
                      query.get("includeObject"), true);
  } else {
    JsonArray items;
    for (const ObjectPtr& object : listing.objects) {
      items.push_back(call.form == Form::kMetadata ? metadata_only(object->body())
                                                   : object->body());
    }
    const bool metadata = call.form == Form::kMetadata;
    list =
        JsonObject{{"kind", metadata ? "PartialObjectMetadataList" : call.kind->list_kind},
                   {"apiVersion", metadata ? "meta.k8s.io/v1" : call.kind->resource.api_version()},
                   {"metadata", JsonObject()}};
    list.get_object()["items"] = std::move(items);
  }
  make_path(list, "metadata.resourceVersion") = std::to_string(listing.revision);
  return list;
}

awaitable<Result<>> RestHandler::read(const http::Request& request, const Call& call,
                                      http::ResponseWriter& writer) {
  if (!call.route.key.name.empty()) {
    CO_TRY(const ObjectPtr object, verbs_.get(*call.kind, call.route.key));
    co_return co_await writer.send(
        json_response(200, to_text(encode_object(call, object, request.query))));
  }
  if (request.query.flag("watch")) co_return co_await watch(request, call, writer);
  CO_TRY(const store::Listing listing,
         verbs_.list(*call.kind, list_options(call.route, request.query)));
  co_return co_await writer.send(
      json_response(200, to_text(encode_list(call, listing, request.query))));
}

awaitable<Result<>> RestHandler::write(const http::Request& request, Call call,
                                       http::ResponseWriter& writer) {
  std::vector<std::string> warnings;
  call.options.warnings = &warnings;
  CO_TRY(call.options.dry_run, dry_run(request.query));
  CO_TRY(call.options.validation, field_validation(request.query));
  const bool named = !call.route.key.name.empty();
  int status = 200;
  Result<ObjectPtr> done;
  if (request.method == "POST" && !named) {
    CO_TRY(Json body, decode_body(request));
    status = 201;
    done = co_await verbs_.create(*call.kind, call.route.key.ns, std::move(body), call.options);
  } else if (request.method == "PUT" && named) {
    CO_TRY(Json body, decode_body(request));
    done = co_await verbs_.update(*call.kind, call.route.key, std::move(body), call.part,
                                  call.options);
  } else if (request.method == "PATCH" && named) {
    const client::PatchType type = *patch_type(request);
    CO_TRY(Json body, type == client::PatchType::kJson ? parse_json(request.body)
                                                       : parse_json_or_yaml(request.body));
    done = co_await verbs_.patch(*call.kind, call.route.key, type, std::move(body), call.part,
                                 call.options);
  } else if (request.method == "DELETE" && named) {
    done = co_await remove(request, call);
  } else {
    co_return Error(Code::kUnsupported,
                    fmt::format("{} is not served at {}", request.method, request.path));
  }
  if (!done) co_return std::move(done).error();
  const bool gone = request.method == "DELETE" && !is_being_deleted((*done)->body());
  http::Response response =
      json_response(status, to_text(gone ? deletion_status(*call.kind, (*done)->body())
                                         : encode_object(call, *done, request.query)));
  for (const std::string& warning : warnings) {
    response.headers.add("Warning", quoted_warning(warning));
  }
  co_return co_await writer.send(std::move(response));
}

awaitable<Result<ObjectPtr>> RestHandler::remove(const http::Request& request, const Call& call) {
  DeleteRequest removal;
  CO_TRY(removal.dry_run, dry_run(request.query));
  CO_TRY(removal.grace_seconds, integer_parameter(request.query, "gracePeriodSeconds"));
  if (!request.body.empty()) {
    CO_TRY(const Json body, decode_body(request));
    if (const Json* grace = find(body, "gracePeriodSeconds");
        grace != nullptr && grace->is_int64()) {
      removal.grace_seconds = grace->get_int64();
    }
    removal.uid = string_at(body, "preconditions.uid");
    removal.resource_version = string_at(body, "preconditions.resourceVersion");
    removal.dry_run = removal.dry_run || !array_at(body, "dryRun").empty();
  }
  co_return co_await verbs_.remove(*call.kind, call.route.key, std::move(removal));
}

awaitable<Result<>> RestHandler::log(const http::Request& request, const Call& call,
                                     http::ResponseWriter& writer) {
  const http::Query& query = request.query;
  client::LogOptions options;
  options.container = query.get("container");
  options.follow = query.flag("follow");
  options.previous = query.flag("previous");
  options.timestamps = query.flag("timestamps");
  CO_TRY(options.tail_lines, integer_parameter(query, "tailLines"));
  CO_TRY(options.limit_bytes, integer_parameter(query, "limitBytes"));
  CO_TRY(const auto since_seconds, integer_parameter(query, "sinceSeconds"));
  if (since_seconds)
    options.since = verbs_.clock().wall() -
                    std::chrono::seconds(std::min<std::int64_t>(*since_seconds, 1'000'000'000));
  if (const std::string since = query.get("sinceTime"); !since.empty()) {
    CO_TRY(options.since, parse_time(since));
  }
  CO_TRY_OK(verbs_.get(*call.kind, call.route.key));
  CO_TRY(const auto stream, co_await streams_.open_log(call.route.key, std::move(options)));
  http::Headers headers{{"Content-Type", "text/plain"}};
  CO_TRY_OK(co_await writer.start(200, std::move(headers)));
  while (true) {
    CO_TRY(std::string piece, co_await stream->read());
    if (piece.empty()) co_return co_await writer.finish();
    CO_TRY_OK(co_await writer.write(std::move(piece)));
  }
}

}  // namespace trainyard::server
