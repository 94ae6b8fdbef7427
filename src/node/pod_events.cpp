#include "node/pod_events.h"

#include <utility>

namespace trainyard::node {
namespace {

/// More are not kept back: a pod that has so much to say repeats itself.
constexpr std::size_t kMostWaiting = 50;

}  // namespace

void PodEvents::normal(ObjectPtr pod, std::string reason, std::string message) {
  add({std::move(pod), false, std::move(reason), std::move(message)});
}

void PodEvents::warning(ObjectPtr pod, std::string reason, std::string message) {
  add({std::move(pod), true, std::move(reason), std::move(message)});
}

void PodEvents::add(Event event) {
  if (waiting_.size() >= kMostWaiting) return;
  waiting_.push_back(std::move(event));
  if (!std::exchange(is_writing_, true)) tasks_.spawn("events of a pod", write_all());
}

awaitable<void> PodEvents::write_all() {
  while (!waiting_.empty()) {
    Event event = std::move(waiting_.front());
    waiting_.pop_front();
    if (event.warning) {
      co_await recorder_.warning(event.pod, event.reason, event.message);
    } else {
      co_await recorder_.normal(event.pod, event.reason, event.message);
    }
  }
  is_writing_ = false;
}

}  // namespace trainyard::node
