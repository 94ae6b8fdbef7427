#include "client/reporting/background_events.h"

#include "base/crypto/ids.h"
#include "base/log.h"

#include <utility>

namespace trainyard::client {

void BackgroundEvents::normal(ObjectPtr about, std::string reason, std::string message) {
  add({std::move(about), false, std::move(reason), std::move(message)});
}

void BackgroundEvents::warning(ObjectPtr about, std::string reason, std::string message) {
  add({std::move(about), true, std::move(reason), std::move(message)});
}

void BackgroundEvents::add(Event event) {
  Lane& lane = lanes_[fnv1a(uid_of(event.about->body())) % lanes_.size()];
  if (lane.waiting.size() >= kMostWaiting) {
    log_warn("too many events at once, one is not written", {{"reason", event.reason}});
    return;
  }
  lane.waiting.push_back(std::move(event));
  if (!std::exchange(lane.is_writing, true)) tasks_.spawn("events", write_all(lane));
}

awaitable<void> BackgroundEvents::write_all(Lane& lane) {
  while (!lane.waiting.empty()) {
    Event event = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    (void)co_await run_contained(
        "an event", event.warning ? recorder_.warning(event.about, event.reason, event.message)
                                  : recorder_.normal(event.about, event.reason, event.message));
  }
  lane.is_writing = false;
}

}  // namespace trainyard::client
