#include "workloads/event_expiry.h"

#include <algorithm>

namespace trainyard::workloads {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::seconds kQuiet = 1h;
constexpr std::chrono::seconds kLongest = 24h;
constexpr int kWorkers = 4;

/// To know when to look first, nobody need read what an event tells.
client::ListOptions metadata_only() {
  client::ListOptions options;
  options.metadata_only = true;
  return options;
}

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

EventExpiry::EventExpiry(Executor loop, client::Api& api, Clock& clock)
    : api_(api),
      clock_(clock),
      controller_("event expiry", loop, clock, *this),
      events_(loop, api, clock, kEvents, metadata_only()),
      tasks_(loop) {
  events_.keep_no_copy();
  events_.add_listener([this](const ObjectPtr& event, bool deleted) {
    if (deleted) return;
    const auto left = event_expiry(event->body()) - clock_.wall();
    controller_.add_after(key_of(event->body()), std::max<std::chrono::nanoseconds>(left, 0s));
  });
}

void EventExpiry::start() {
  tasks_.spawn("watch events", events_.run());
  controller_.start(kWorkers);
}

awaitable<void> EventExpiry::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

awaitable<Result<client::Requeue>> EventExpiry::reconcile(Key key) {
  auto event = co_await api_.get(kEvents, key);
  if (event.failed_with(Code::kNotFound)) co_return client::Requeue();
  if (!event) co_return std::move(event).error();
  const auto left = event_expiry((*event)->body()) - clock_.wall();
  if (left > 0s) {
    co_return client::Requeue(std::chrono::ceil<std::chrono::milliseconds>(left));
  }
  client::DeleteOptions options;
  options.uid = uid_of((*event)->body());
  // If it happens again this very moment it stays, and the next look sees its new time.
  options.resource_version = string_at((*event)->body(), "metadata.resourceVersion");
  auto removed = co_await api_.remove(kEvents, key, std::move(options));
  if (!removed && !removed.failed_with(Code::kNotFound)) co_return std::move(removed).error();
  co_return client::Requeue();
}

}  // namespace trainyard::workloads
