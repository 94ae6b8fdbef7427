// A watch: a stream of one JSON object a line.
#include "base/task_group.h"
#include "client/remote/watch_words.h"
#include "object/table/table.h"
#include "server/rest/handlers.h"
#include "server/status.h"
#include "server/verbs/watcher.h"
#include "server/wire/encode.h"
#include "server/wire/request_options.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

using client::WatchEvent;
using namespace std::chrono_literals;

constexpr std::size_t kBatch = 64UL * 1024;  // events that are ready go out together
constexpr auto kBookmarkEvery = 60s;
constexpr auto kLastBookmark = 2s;  // before the end: who comes back starts from there
constexpr std::int64_t kDefaultTimeout = 1800;
constexpr std::int64_t kLongestTimeout = 86'400;

void begin_event(std::string& out, std::string_view type) {
  out += R"({"type":")";
  out += type;
  out += R"(","object":)";
}

void append_event(std::string& out, std::string_view type, const Json& object) {
  begin_event(out, type);
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

/// What a watch asks for, read from its query.
struct WatchRequest {
  ListRequest selection;
  bool streams_list = false;
  bool bookmarks = false;
  std::chrono::seconds timeout{kDefaultTimeout};
};

Result<WatchRequest> watch_request(const Route& route, const http::Query& query) {
  WatchRequest request;
  request.streams_list = query.flag("sendInitialEvents");
  request.bookmarks = query.flag("allowWatchBookmarks");
  const std::string match = query.get("resourceVersionMatch");
  const bool says_streaming = query.find("sendInitialEvents").has_value();
  if (!match.empty() && !says_streaming) {
    return Error(
        Code::kInvalid,
        "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  if (says_streaming && match != "NotOlderThan") {
    return Error(Code::kInvalid,
                 "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
                 "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  TRY(request.selection, list_request(route, query));
  if (!route.key.name.empty()) request.selection.fields = "metadata.name=" + route.key.name;
  if (request.streams_list) request.selection.resource_version.clear();
  TRY(const auto timeout, integer_parameter(query, "timeoutSeconds"));
  if (timeout && *timeout > 0) {
    request.timeout = std::chrono::seconds(std::min(*timeout, kLongestTimeout));
  }
  return request;
}

/// When the next bookmark is due: each minute, and shortly before the end.
TimePoint next_bookmark(TimePoint now, TimePoint end) {
  const TimePoint last = end - kLastBookmark;
  return now < last ? std::min(now + kBookmarkEvery, last) : now + kBookmarkEvery;
}

/// Turns events into lines; remembers what the first ones must carry.
class EventWriter {
 public:
  EventWriter(const Kind& kind, Form form, std::string include, Clock& clock)
      : kind_(kind), form_(form), include_(std::move(include)), clock_(clock) {}

  void append(std::string& out, const WatchEvent& event) {
    begin_event(out, client::word_of(event.type));
    if (form_ == Form::kTable) {
      Json table = make_table(kind_, {event.object}, clock_.wall(), include_, true);
      // Columns come with the first row only; kubectl remembers them.
      if (!first_) table.get_object()["columnDefinitions"] = nullptr;
      first_ = false;
      make_path(table, "metadata.resourceVersion") =
          string_at(event.object->body(), "metadata.resourceVersion");
      append_text(out, table);
    } else {
      append_object(out, kind_, form_, event.object, include_, clock_.wall());
    }
    out += "}\n";
  }

 private:
  const Kind& kind_;
  Form form_;
  std::string include_;
  Clock& clock_;
  bool first_ = true;
};

/// One watch on its way to a client.
struct WatchStream {
  Call& call;
  Verbs& verbs;
  std::unique_ptr<Watcher> watcher;
  EventWriter events;
  TimePoint end;
  bool bookmarks = false;
  bool list_ended = true;  // whether the bookmark that ends a streamed list was sent
  Result<> outcome = Ok();
};

/// Wakes a watch when a bookmark is due and when its time is over. Set once for the whole watch: a
/// race between event and timer for each event would cost more than sending it.
awaitable<void> ring(WatchStream& stream) {
  Clock& clock = stream.call.clock;
  while (clock.now() < stream.end) {
    const TimePoint next = next_bookmark(clock.now(), stream.end);
    co_await clock.sleep_until(stream.bookmarks ? std::min(next, stream.end) : stream.end);
    stream.watcher->wake();
  }
}

awaitable<Result<>> send_events(WatchStream& stream) {
  Clock& clock = stream.call.clock;
  const Kind& kind = *stream.call.kind;
  http::ResponseWriter& writer = stream.call.writer;
  TimePoint due = next_bookmark(clock.now(), stream.end);
  http::Headers headers{{"Content-Type", "application/json"}};
  CO_TRY_OK(co_await writer.start(200, std::move(headers)));
  while (clock.now() < stream.end) {
    std::string out;
    while (out.size() < kBatch) {
      if (!stream.list_ended && !stream.watcher->has_initial()) {
        stream.list_ended = true;
        // Not the store's revision: what was written since the list was taken is yet to be sent.
        append_event(out, "BOOKMARK", bookmark(kind, stream.watcher->first_revision(), true));
      }
      auto event = stream.watcher->try_next();
      if (!event) {
        append_event(out, "ERROR", status_of(event.error()));
        CO_TRY_OK(co_await writer.write(std::move(out)));
        co_return co_await writer.finish();
      }
      if (!*event) break;
      stream.events.append(out, **event);
    }
    if (stream.bookmarks && out.empty() && clock.now() >= due) {
      due = next_bookmark(clock.now(), stream.end);
      append_event(out, "BOOKMARK", bookmark(kind, stream.verbs.store().revision(), false));
    }
    if (!out.empty()) {
      CO_TRY_OK(co_await writer.write(std::move(out)));
      continue;
    }
    co_await stream.watcher->wait();
  }
  co_return co_await writer.finish();
}

awaitable<void> follow(WatchStream& stream) {
  stream.outcome = co_await send_events(stream);
}

awaitable<Result<>> watch_objects(Call& call, Verbs& verbs) {
  CO_TRY(const WatchRequest request, watch_request(call.route, call.request.query));
  CO_TRY(auto watcher,
         Watcher::open(verbs, call.kind, request.selection, request.selection.resource_version));
  Clock& clock = call.clock;
  WatchStream stream{
      call,
      verbs,
      std::move(watcher),
      EventWriter(*call.kind, call.form, call.request.query.get("includeObject"), clock),
      clock.now() + request.timeout,
      request.bookmarks,
      !request.streams_list,
      Ok()};
  TaskGroup bell(co_await boost::asio::this_coro::executor);
  bell.spawn_contained("watch bell", ring(stream));
  co_await with_cleanup(follow(stream), bell.stop());
  co_return std::move(stream.outcome);
}

}  // namespace

CallHandler handle_watch(const Sources& sources) {
  return handler(watch_objects, sources.verbs);
}

}  // namespace trainyard::server
