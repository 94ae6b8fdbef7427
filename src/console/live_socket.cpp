#include "console/live_socket.h"

#include "base/log.h"
#include "client/remote/watch_words.h"

#include <fmt/format.h>

namespace trainyard::console {
namespace {

constexpr std::size_t kOutboxLimit = 256;  // messages; beyond that the sources wait
// The log of a whole job is one a replica.
constexpr std::size_t kMostSubscriptions = 512;

int code_number(Code code) {
  switch (code) {
    case Code::kExpired:
      return 410;
    case Code::kNotFound:
      return 404;
    case Code::kBadRequest:
    case Code::kInvalid:
      return 400;
    default:
      return 500;
  }
}

Json error_message(std::int64_t id, const Error& error) {
  return {{"id", id},
          {"error", {{"code", code_number(error.code())}, {"message", error.message()}}}};
}

client::LogOptions log_options(const Json& request) {
  client::LogOptions options;
  options.container = string_at(request, "log.container");
  options.pod_uid = string_at(request, "log.uid");
  options.follow = true;
  options.previous = bool_at(request, "log.previous");
  options.timestamps = bool_at(request, "log.timestamps");
  if (const std::int64_t lines = int_at(request, "log.tailLines"); lines > 0) {
    options.tail_lines = lines;
  }
  return options;
}

/// Where a log is to begin: at the line that is asked for, or so many before its end. A log that is
/// shorter than what the page has seen is another one.
std::int64_t first_line(const Json& request, const client::LogExtent& extent) {
  const std::int64_t asked = int_at(request, "log.fromLine");
  if (asked > 0 && asked <= extent.last + 1) return std::max(asked, extent.kept);
  const std::int64_t tail = int_at(request, "log.tailLines");
  return tail > 0 ? std::max(extent.kept, extent.last - tail + 1) : extent.kept;
}

/// Put together from the object's own text: a long list would else leave a tree of each object
/// behind.
std::string event_text(std::int64_t id, client::WatchEvent::Type type, const StoredObject& object) {
  return fmt::format(R"({{"id":{},"event":{{"type":"{}","object":{}}}}})", id,
                     client::word_of(type), object.text());
}

/// Log bytes are not always text: what is not UTF-8 becomes the replacement character, so that the
/// message stays JSON.
std::string as_utf8(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xc2 ? 0
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    bool good = length > 0 && i + length <= bytes.size();
    for (std::size_t k = 1; good && k < length; ++k) {
      good = (static_cast<unsigned char>(bytes[i + k]) & 0xc0) == 0x80;
    }
    if (good) {
      out += bytes.substr(i, length);
      i += length;
    } else {
      out += "\xef\xbf\xbd";
      ++i;
    }
  }
  return out;
}

}  // namespace

LiveSocket::LiveSocket(Executor loop, client::Api& api, client::PodStreams& streams,
                       std::unique_ptr<http::WebSocket> socket)
    : loop_(loop),
      api_(api),
      streams_(streams),
      socket_(std::move(socket)),
      outbox_changed_(loop),
      tasks_(loop) {}

awaitable<void> LiveSocket::run() {
  return with_cleanup(read_messages(), end_all());
}

awaitable<void> LiveSocket::read_messages() {
  tasks_.spawn_contained("console socket writer", write_all());
  while (true) {
    auto message = co_await socket_->read();
    if (!message) co_return;
    auto parsed = parse_json(message->data);
    if (parsed) {
      co_await accept(*std::move(parsed));
    } else {
      co_await send(error_message(0, parsed.error()));
    }
  }
}

awaitable<void> LiveSocket::end_all() {
  for (const auto& [id, subscription] : subscriptions_) co_await subscription->tasks.stop();
  co_await tasks_.stop();
}

awaitable<void> LiveSocket::accept(Json message) {
  forget_ended();
  const std::int64_t id = int_at(message, "id");
  if (bool_at(message, "stop")) {
    co_await end_subscription(id);
    co_return;
  }
  if (subscriptions_.contains(id) || subscriptions_.size() >= kMostSubscriptions) {
    const Error refusal(Code::kBadRequest, "this id is in use, or too many subscriptions are open");
    co_await send(error_message(id, refusal));
    co_return;
  }
  auto& subscription = subscriptions_[id];
  subscription = std::make_unique<Subscription>(loop_);
  if (find(message, "watch") != nullptr) {
    subscription->tasks.spawn_contained("console watch", watch(id, std::move(message)));
  } else {
    subscription->tasks.spawn_contained("console log", log(id, std::move(message)));
  }
}

awaitable<void> LiveSocket::end_subscription(std::int64_t id) {
  const auto found = subscriptions_.find(id);
  if (found == subscriptions_.end()) co_return;
  co_await found->second->tasks.stop();
  subscriptions_.erase(id);
}

void LiveSocket::forget_ended() {
  std::erase_if(subscriptions_,
                [](const auto& subscription) { return subscription.second->tasks.size() == 0; });
}

awaitable<void> LiveSocket::send(Json message) {
  return send_text(to_text(message));
}

awaitable<void> LiveSocket::send_text(std::string message) {
  while (outbox_.size() >= kOutboxLimit) co_await outbox_changed_.wait();
  outbox_.push_back(std::move(message));
  outbox_changed_.notify_all();
}

awaitable<void> LiveSocket::write_all() {
  while (true) {
    while (outbox_.empty()) co_await outbox_changed_.wait();
    http::WebSocket::Message message;
    message.data = std::move(outbox_.front());
    outbox_.pop_front();
    outbox_changed_.notify_all();
    if (!co_await socket_->write(std::move(message))) co_return;
  }
}

awaitable<void> LiveSocket::watch(std::int64_t id, Json request) {
  auto ended = co_await stream_watch(id, std::move(request));
  if (!ended) co_await send(error_message(id, ended.error()));
}

awaitable<Result<>> LiveSocket::stream_watch(std::int64_t id, Json request) {
  const Resource resource{std::string(string_at(request, "watch.group")),
                          std::string(string_at(request, "watch.version")),
                          std::string(string_at(request, "watch.plural"))};
  client::ListOptions options;
  options.ns = string_at(request, "watch.namespace");
  if (resource.group.empty() && resource.plural == "secrets" && on_secrets_)
    on_secrets_(options.ns);
  std::string version(string_at(request, "resourceVersion"));
  if (version.empty()) {
    CO_TRY(const client::Listing listing, co_await api_.list(resource, options));
    for (const ObjectPtr& object : listing.items) {
      co_await send_text(event_text(id, client::WatchEvent::Type::kAdded, *object));
    }
    version = listing.resource_version;
    co_await send(Json{{"id", id}, {"synced", true}});
  }
  CO_TRY(const auto watch, co_await api_.watch(resource, options, version));
  while (true) {
    CO_TRY(const client::WatchEvent event, co_await watch->next());
    co_await send_text(event_text(id, event.type, *event.object));
  }
}

awaitable<void> LiveSocket::log(std::int64_t id, Json request) {
  auto ended = co_await stream_log(id, std::move(request));
  if (ended) {
    co_await send(Json{{"id", id}, {"end", true}});
  } else {
    co_await send(error_message(id, ended.error()));
  }
}

awaitable<Result<>> LiveSocket::stream_log(std::int64_t id, Json request) {
  const Key pod{std::string(string_at(request, "log.namespace")),
                std::string(string_at(request, "log.pod"))};
  client::LogOptions options = log_options(request);
  // A server that numbers no lines only has its end told.
  const auto counted = co_await streams_.read_lines(pod, options, client::LineRange());
  if (counted) {
    const auto [kept, last] = counted->extent;
    const std::int64_t from = first_line(request, counted->extent);
    options.from_line = from;
    options.tail_lines.reset();
    co_await send(Json{{"id", id}, {"from", from}, {"kept", kept}, {"last", last}});
  } else if (!counted.failed_with(Code::kUnsupported)) {
    co_return counted.error();
  }
  CO_TRY(const auto stream, co_await streams_.open_log(pod, std::move(options)));
  while (true) {
    CO_TRY(const std::string piece, co_await stream->read());
    if (piece.empty()) co_return Ok();
    co_await send(Json{{"id", id}, {"text", as_utf8(piece)}});
  }
}

}  // namespace trainyard::console
