// The watch of RestHandler: a stream of one JSON object a line.
#include "client/watch_words.h"
#include "object/table.h"
#include "server/rest.h"
#include "server/status.h"
#include "server/watcher.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::server {
namespace {

using client::WatchEvent;
using namespace std::chrono_literals;

constexpr std::size_t kBatch = 64UL * 1024;  // events that are ready go out together
constexpr auto kBookmarkEvery = 60s;
constexpr std::int64_t kDefaultTimeout = 1800;

void append_event(std::string& out, std::string_view type, const Json& object) {
  out += R"({"type":")";
  out += type;
  out += R"(","object":)";
  append_text(out, object);
  out += "}\n";
}

/// Bookmarks carry a version only: the watcher has seen everything up to it.
Json bookmark(const Kind& kind, std::int64_t revision, bool ends_initial) {
  Json object{{"kind", kind.kind},
              {"apiVersion", kind.resource.api_version()},
              {"metadata", {{"resourceVersion", std::to_string(revision)}}}};
  if (ends_initial) {
    make_path(object, "metadata.annotations") = JsonObject{{"k8s.io/initial-events-end", "true"}};
  }
  return object;
}

awaitable<void> wait_until(Clock& clock, TimePoint when) {
  co_await clock.sleep_until(when);
}

}  // namespace

awaitable<Result<>> RestHandler::watch(const http::Request& request, const Call& call,
                                       http::ResponseWriter& writer) {
  using namespace boost::asio::experimental::awaitable_operators;
  const http::Query& query = request.query;
  client::ListOptions options;
  options.ns = call.route.key.ns;
  options.labels = query.get("labelSelector");
  options.fields = query.get("fieldSelector");
  const bool streams_list = query.flag("sendInitialEvents");
  const bool bookmarks = query.flag("allowWatchBookmarks");
  const std::string from = streams_list ? "" : query.get("resourceVersion");
  CO_TRY(const auto watcher, Watcher::open(verbs_, *call.kind, options, from));

  std::int64_t timeout = kDefaultTimeout;
  if (const std::string text = query.get("timeoutSeconds"); !text.empty()) {
    std::from_chars(text.data(), text.data() + text.size(), timeout);
    if (timeout <= 0) timeout = kDefaultTimeout;
    timeout = std::min<std::int64_t>(timeout, 86'400);
  }
  const TimePoint end = verbs_.clock().now() + std::chrono::seconds(timeout);
  TimePoint next_bookmark = bookmarks ? verbs_.clock().now() + kBookmarkEvery : end;
  bool list_ended = !streams_list;
  bool first_table = true;

  http::Headers headers{{"Content-Type", "application/json"}};
  CO_TRY_OK(co_await writer.start(200, std::move(headers)));
  while (verbs_.clock().now() < end) {
    std::string out;
    while (out.size() < kBatch) {
      const bool initial_done = !watcher->has_initial();
      if (initial_done && !list_ended) {
        list_ended = true;
        // Not the store's revision: what was written since the list was taken is yet to be sent.
        append_event(out, "BOOKMARK", bookmark(*call.kind, watcher->first_revision(), true));
      }
      auto event = watcher->try_next();
      if (!event) {
        append_event(out, "ERROR", status_of(event.error()));
        CO_TRY_OK(co_await writer.write(std::move(out)));
        co_return co_await writer.finish();
      }
      if (!*event) break;
      Json body = encode_object(call, (*event)->object, query);
      if (call.form == Form::kTable) {
        // Columns come with the first row only; kubectl remembers them.
        if (!first_table) body.get_object()["columnDefinitions"] = nullptr;
        first_table = false;
      }
      append_event(out, client::word_of((*event)->type), body);
    }
    if (bookmarks && verbs_.clock().now() >= next_bookmark && out.empty()) {
      next_bookmark = verbs_.clock().now() + kBookmarkEvery;
      append_event(out, "BOOKMARK", bookmark(*call.kind, verbs_.store().revision(), false));
    }
    if (!out.empty()) {
      CO_TRY_OK(co_await writer.write(std::move(out)));
      continue;
    }
    co_await (watcher->wait() || wait_until(verbs_.clock(), std::min(end, next_bookmark)));
  }
  co_return co_await writer.finish();
}

}  // namespace trainyard::server
