#include "workloads/event_expiry.h"

#include "base/log.h"

#include <algorithm>

namespace trainyard::workloads {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::seconds kQuiet = 1h;
constexpr std::chrono::seconds kLongest = 24h;
constexpr std::chrono::seconds kBetween = 5min;
/// Events that are read before others get their turn.
constexpr std::size_t kAtOnce = 200;

}  // namespace

WallTime event_expiry(const Json& event) {
  const WallTime created =
      parse_time(string_at(event, "metadata.creationTimestamp")).value_or(WallTime());
  WallTime last = created;
  for (const char* field : {"lastTimestamp", "series.lastObservedTime", "eventTime"}) {
    if (const auto time = parse_time(string_at(event, field))) last = std::max(last, *time);
  }
  return std::min(last + kQuiet, created + kLongest);
}

awaitable<void> EventExpiry::run() {
  while (true) {
    co_await clock_.sleep_for(kBetween);
    const auto removed = co_await remove_expired();
    if (!removed) log_warn("old events not removed", {{"cause", removed.error().message()}});
  }
}

awaitable<Result<>> EventExpiry::remove_expired() {
  CO_TRY(client::Listing events, co_await api_.list(kEvents, {}));
  for (std::size_t i = 0; i < events.items.size(); ++i) {
    if (i % kAtOnce == kAtOnce - 1) co_await clock_.sleep_for(1ms);
    CO_TRY_OK(co_await look_at(std::move(events.items[i])));
  }
  co_return Ok();
}

awaitable<Result<>> EventExpiry::look_at(ObjectPtr event) {
  const Json& body = event->body();
  if (event_expiry(body) > clock_.wall()) co_return Ok();
  client::DeleteOptions options;
  options.uid = uid_of(body);
  // If it happens again this very moment it stays.
  options.resource_version = string_at(body, "metadata.resourceVersion");
  auto removed = co_await api_.remove(kEvents, key_of(body), std::move(options));
  if (removed || removed.failed_with(Code::kNotFound) || removed.failed_with(Code::kConflict)) {
    co_return Ok();
  }
  co_return std::move(removed).error();
}

}  // namespace trainyard::workloads
