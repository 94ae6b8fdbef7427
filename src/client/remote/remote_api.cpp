#include "client/remote/remote_api.h"

#include "http/client_websocket.h"
#include "object/json/pruned_json.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::client {
namespace {

constexpr const char* kJsonType = "application/json";
/// Of a request that the server asks to send again.
constexpr int kMostTries = 10;

ObjectPtr to_object(Json body) {
  const std::string_view version = string_at(body, "metadata.resourceVersion");
  std::int64_t revision = 0;
  std::from_chars(version.data(), version.data() + version.size(), revision);
  return std::make_shared<const StoredObject>(std::move(body), revision);
}

Code code_of_reason(std::string_view reason, int http_status) {
  if (reason == "NotFound") return Code::kNotFound;
  if (reason == "AlreadyExists") return Code::kAlreadyExists;
  if (reason == "Conflict") return Code::kConflict;
  if (reason == "Invalid") return Code::kInvalid;
  if (reason == "Forbidden") return Code::kForbidden;
  if (reason == "Unauthorized") return Code::kUnauthorized;
  if (reason == "Expired" || reason == "Gone") return Code::kExpired;
  if (http_status == 404) return Code::kNotFound;
  if (http_status == 410) return Code::kExpired;
  if (http_status == 413) return Code::kTooLarge;
  if (http_status >= 400 && http_status < 500) return Code::kBadRequest;
  return Code::kUnavailable;
}

/// A Status object as an error; its message was written for people.
Error error_from_status(const Json& status, int http_status) {
  std::vector<FieldError> causes;
  for (const Json& cause : array_at(status, "details.causes")) {
    causes.push_back({std::string(string_at(cause, "field")),
                      std::string(string_at(cause, "message")),
                      std::string(string_at(cause, "reason"))});
  }
  const std::string fallback = fmt::format("the server answered with HTTP status {}", http_status);
  std::string message(string_at(status, "message", fallback));
  // All that a cluster says of a login that it does not know, or no more.
  if (message == "Unauthorized") {
    message =
        "the server does not accept the login of the kubeconfig (Unauthorized): has its token or "
        "certificate expired?";
  }
  return Error(code_of_reason(string_at(status, "reason"), http_status), std::move(message),
               std::move(causes));
}

Error error_from_body(const std::string& body, int http_status) {
  auto status = parse_json(body);
  return error_from_status(status ? *status : Json(JsonObject()), http_status);
}

class RemoteWatch final : public Watch {
 public:
  explicit RemoteWatch(std::unique_ptr<http::ResponseStream> stream) : stream_(std::move(stream)) {}

  awaitable<Result<WatchEvent>> next() override {
    std::size_t end = 0;
    while ((end = buffer_.find('\n')) == std::string::npos) {
      CO_TRY(const std::string piece, co_await stream_->read());
      if (piece.empty()) co_return Error(Code::kUnavailable, "the watch has ended");
      buffer_ += piece;
    }
    auto event = parse_json(std::string_view(buffer_).substr(0, end));
    buffer_.erase(0, end + 1);
    if (!event) co_return std::move(event).error();
    const std::string_view type = string_at(*event, "type");
    Json* object = find(*event, "object");
    if (object == nullptr) co_return Error(Code::kInternal, "a watch event without an object");
    if (type == "ERROR") {
      co_return error_from_status(*object, static_cast<int>(int_at(*object, "code", 500)));
    }
    WatchEvent result;
    result.type = type == "ADDED"      ? WatchEvent::Type::kAdded
                  : type == "MODIFIED" ? WatchEvent::Type::kModified
                  : type == "DELETED"  ? WatchEvent::Type::kDeleted
                                       : WatchEvent::Type::kBookmark;
    result.object = to_object(std::move(*object));
    co_return result;
  }

 private:
  std::unique_ptr<http::ResponseStream> stream_;
  std::string buffer_;
};

class RemoteLog final : public ByteStream {
 public:
  explicit RemoteLog(std::unique_ptr<http::ResponseStream> stream) : stream_(std::move(stream)) {}
  awaitable<Result<std::string>> read() override { return stream_->read(); }

 private:
  std::unique_ptr<http::ResponseStream> stream_;
};

/// A server that is busy, or has just learnt of a kind, turns a request away untouched and says
/// when to come back. Nothing: it is an answer.
std::optional<std::chrono::seconds> wants_to_be_asked_again(int status,
                                                            const http::Headers& headers) {
  constexpr int kTooManyRequests = 429;
  constexpr int kServiceUnavailable = 503;
  constexpr int kLongest = 30;
  if (status != kTooManyRequests && status != kServiceUnavailable) return std::nullopt;
  const std::string_view text = headers.find("Retry-After").value_or("");
  int seconds = -1;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (seconds < 0 || seconds > kLongest) return std::nullopt;
  return std::chrono::seconds(seconds);
}

/// Collects ?a=b&c=d, leaving out what is empty.
class QueryText {
 public:
  QueryText& add(std::string_view name, const std::string& value) {
    if (value.empty()) return *this;
    text_ += fmt::format("{}{}={}", text_.empty() ? "?" : "&", name, http::percent_encode(value));
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

QueryText list_query(const ListOptions& options) {
  QueryText query;
  query.add("labelSelector", options.labels).add("fieldSelector", options.fields);
  return query;
}

}  // namespace

std::string resource_path(const Resource& resource, const Key& key,
                          const std::string& subresource) {
  std::string path = resource.group.empty() ? "/api/" + resource.version
                                            : "/apis/" + resource.group + "/" + resource.version;
  if (!key.ns.empty()) path += "/namespaces/" + http::percent_encode(key.ns);
  path += "/" + resource.plural;
  if (!key.name.empty()) path += "/" + http::percent_encode(key.name);
  if (!subresource.empty()) path += "/" + subresource;
  return path;
}

RemoteApi::RemoteApi(Executor loop, Connection connection)
    : http_(std::move(loop), std::move(connection.http)), token_(std::move(connection.token)) {}

RemoteApi::~RemoteApi() = default;

void RemoteApi::add_headers(http::ClientRequest& request, const std::string& content_type) const {
  request.headers.add("Accept", kJsonType);
  request.headers.add("User-Agent", "trainyard");
  if (!request.body.empty()) request.headers.add("Content-Type", content_type);
  if (!token_.empty()) request.headers.add("Authorization", "Bearer " + token_);
}

awaitable<Result<http::Response>> RemoteApi::send(http::ClientRequest request) {
  for (int tries = 1;; ++tries) {
    auto response = co_await http_.request(request);
    if (!response || tries == kMostTries) co_return response;
    const auto pause = wants_to_be_asked_again(response->status, response->headers);
    if (!pause) co_return response;
    co_await clock_.sleep_for(*pause);
  }
}

awaitable<Result<Json>> RemoteApi::call(http::ClientRequest request) {
  add_headers(request, kJsonType);
  CO_TRY(const http::Response response, co_await send(std::move(request)));
  if (response.status >= 300) co_return error_from_body(response.body, response.status);
  co_return parse_json(response.body);
}

awaitable<Result<ObjectPtr>> RemoteApi::call_for_object(http::ClientRequest request) {
  CO_TRY(Json body, co_await call(std::move(request)));
  co_return to_object(std::move(body));
}

awaitable<Result<Json>> RemoteApi::get_path(std::string path) {
  http::ClientRequest request;
  request.target = std::move(path);
  co_return co_await call(std::move(request));
}

awaitable<Result<Json>> RemoteApi::post_path(std::string path, Json body) {
  http::ClientRequest request;
  request.method = "POST";
  request.target = std::move(path);
  request.body = to_text(body);
  co_return co_await call(std::move(request));
}

awaitable<Result<ObjectPtr>> RemoteApi::get(Resource resource, Key key) {
  http::ClientRequest request;
  request.target = resource_path(resource, key);
  co_return co_await call_for_object(std::move(request));
}

awaitable<Result<Listing>> RemoteApi::list(Resource resource, ListOptions options) {
  co_return co_await list_without(std::move(resource), std::move(options), {});
}

awaitable<Result<Listing>> RemoteApi::list_without(Resource resource, ListOptions options,
                                                   std::vector<std::string> left_out) {
  http::ClientRequest request;
  request.target = resource_path(resource, Key{options.ns, ""}) + list_query(options).text();
  add_headers(request, kJsonType);
  CO_TRY(const http::Response response, co_await send(std::move(request)));
  if (response.status >= 300) co_return error_from_body(response.body, response.status);
  CO_TRY(Json body, left_out.empty() ? parse_json(response.body)
                                     : parse_json_without(response.body, left_out));
  Listing listing;
  listing.resource_version = string_at(body, "metadata.resourceVersion");
  // Items of a list carry no kind of their own.
  std::string kind(string_at(body, "kind"));
  if (kind.ends_with("List")) kind.resize(kind.size() - 4);
  if (Json* items = find(body, "items"); items != nullptr && items->is_array()) {
    for (Json& item : items->get_array()) {
      if (item.is_object()) {
        item.get_object()["kind"] = kind;
        item.get_object()["apiVersion"] = resource.api_version();
      }
      listing.items.push_back(to_object(std::move(item)));
    }
  }
  co_return listing;
}

awaitable<Result<std::unique_ptr<http::ResponseStream>>> RemoteApi::open(
    http::ClientRequest request) {
  add_headers(request, kJsonType);
  CO_TRY(auto stream, co_await http_.open(request));
  for (int tries = 1; tries < kMostTries; ++tries) {
    const auto pause = wants_to_be_asked_again(stream->status(), stream->headers());
    if (!pause || request.next_part) break;  // parts that were taken cannot be had again
    co_await clock_.sleep_for(*pause);
    CO_TRY(stream, co_await http_.open(request));
  }
  if (stream->status() < 300) co_return std::move(stream);
  std::string body;
  while (true) {
    CO_TRY(const std::string piece, co_await stream->read());
    if (piece.empty()) break;
    body += piece;
  }
  co_return error_from_body(body, stream->status());
}

awaitable<Result<std::unique_ptr<http::WebSocket>>> RemoteApi::open_socket(
    std::string target, std::string subprotocol) {
  http::ClientRequest request;
  request.target = std::move(target);
  request.upgrade = true;
  http::ask_for_websocket(request.headers, subprotocol);
  CO_TRY(auto stream, co_await open(std::move(request)));
  constexpr int kSwitching = 101;
  if (stream->status() != kSwitching) {
    co_return Error(Code::kBadRequest, "the server does not answer with a WebSocket");
  }
  co_return http::join_websocket(stream->take_tunnel());
}

awaitable<Result<std::unique_ptr<Watch>>> RemoteApi::watch(Resource resource, ListOptions options,
                                                           std::string from_version) {
  http::ClientRequest request;
  QueryText query = list_query(options);
  query.add("watch", "true").add("allowWatchBookmarks", "true");
  query.add("resourceVersion", from_version);
  request.target = resource_path(resource, Key{options.ns, ""}) + query.text();
  CO_TRY(auto stream, co_await open(std::move(request)));
  std::unique_ptr<Watch> watch = std::make_unique<RemoteWatch>(std::move(stream));
  co_return watch;
}

awaitable<Result<ObjectPtr>> RemoteApi::create(Resource resource, std::string ns, Json object) {
  http::ClientRequest request;
  request.method = "POST";
  request.target = resource_path(resource, Key{std::move(ns), ""}) + "?fieldValidation=Strict";
  request.body = to_text(object);
  co_return co_await call_for_object(std::move(request));
}

awaitable<Result<>> RemoteApi::try_create(Resource resource, std::string ns, Json object) {
  http::ClientRequest request;
  request.method = "POST";
  request.target =
      resource_path(resource, Key{std::move(ns), ""}) + "?fieldValidation=Strict&dryRun=All";
  request.body = to_text(object);
  CO_TRY_OK(co_await call(std::move(request)));
  co_return Ok();
}

awaitable<Result<ObjectPtr>> RemoteApi::update(Resource resource, Json object) {
  http::ClientRequest request;
  request.method = "PUT";
  request.target = resource_path(resource, key_of(object));
  request.body = to_text(object);
  co_return co_await call_for_object(std::move(request));
}

awaitable<Result<ObjectPtr>> RemoteApi::update_status(Resource resource, Json object) {
  http::ClientRequest request;
  request.method = "PUT";
  request.target = resource_path(resource, key_of(object), "status");
  request.body = to_text(object);
  co_return co_await call_for_object(std::move(request));
}

awaitable<Result<ObjectPtr>> RemoteApi::patch(Resource resource, Key key, PatchType type,
                                              Json patch, std::string subresource) {
  http::ClientRequest request;
  request.method = "PATCH";
  request.target = resource_path(resource, key, subresource);
  request.body = to_text(patch);
  add_headers(request, type == PatchType::kMerge       ? "application/merge-patch+json"
                       : type == PatchType::kStrategic ? "application/strategic-merge-patch+json"
                                                       : "application/json-patch+json");
  CO_TRY(const http::Response response, co_await send(std::move(request)));
  if (response.status >= 300) co_return error_from_body(response.body, response.status);
  CO_TRY(Json body, parse_json(response.body));
  co_return to_object(std::move(body));
}

awaitable<Result<Json>> RemoteApi::request_token(Key account, Json request) {
  http::ClientRequest sent;
  sent.method = "POST";
  sent.target = resource_path(kServiceAccounts, account, "token");
  sent.body = to_text(request);
  co_return co_await call(std::move(sent));
}

awaitable<Result<>> RemoteApi::remove(Resource resource, Key key, DeleteOptions options) {
  http::ClientRequest request;
  request.method = "DELETE";
  request.target = resource_path(resource, key);
  JsonObject body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  // Some kinds of a cluster would orphan what belongs to them when nobody says what to do.
  body["propagationPolicy"] = options.propagation.empty() ? "Background" : options.propagation;
  if (options.grace_seconds) body["gracePeriodSeconds"] = *options.grace_seconds;
  JsonObject conditions;
  if (!options.uid.empty()) conditions["uid"] = options.uid;
  if (!options.resource_version.empty()) conditions["resourceVersion"] = options.resource_version;
  if (!conditions.empty()) body["preconditions"] = std::move(conditions);
  request.body = to_text(body);
  CO_TRY_OK(co_await call(std::move(request)));
  co_return Ok();
}

awaitable<Result<>> RemoteApi::bind(std::vector<Binding>) {
  co_return Error(Code::kUnsupported,
                  "only the embedded scheduler binds pods; a cluster has its own");
}

awaitable<Result<std::unique_ptr<ByteStream>>> RemoteApi::open_log(Key pod, LogOptions options) {
  QueryText query;
  query.add("container", options.container);
  if (options.follow) query.add("follow", "true");
  if (options.previous) query.add("previous", "true");
  if (options.timestamps) query.add("timestamps", "true");
  if (options.tail_lines) query.add("tailLines", std::to_string(*options.tail_lines));
  if (options.since) query.add("sinceTime", format_time(*options.since));
  if (options.limit_bytes) query.add("limitBytes", std::to_string(*options.limit_bytes));
  if (options.stream) {
    query.add("stream", *options.stream == OutputStream::kOut ? "Stdout" : "Stderr");
  }
  query.add("uid", options.pod_uid);
  if (options.run) query.add("run", std::to_string(*options.run));
  http::ClientRequest request;
  request.target = resource_path(kPods, pod, "log") + query.text();
  CO_TRY(auto stream, co_await open(std::move(request)));
  std::unique_ptr<ByteStream> log = std::make_unique<RemoteLog>(std::move(stream));
  co_return log;
}

awaitable<Result<std::vector<KeptLog>>> RemoteApi::kept_logs(std::string ns) {
  CO_TRY(const Json list, co_await get_path(resource_path(kPods, Key{ns, ""}) + "?kept=true"));
  std::vector<KeptLog> logs;
  for (const Json& item : array_at(list, "items")) {
    // A server that does not know `kept` lists the pods that are there.
    const auto kept = parse_time(string_at(item, "kept"));
    if (!kept) continue;
    const Json* labels = find(item, "metadata.labels");
    logs.push_back({key_of(item), std::string(uid_of(item)),
                    labels == nullptr ? Json(JsonObject()) : *labels, *kept});
  }
  co_return logs;
}

}  // namespace trainyard::client
