#pragma once

#include "base/notifier.h"
#include "base/task_group.h"
#include "client/events.h"

#include <deque>
#include <string>

namespace trainyard::node {

/// The events of one pod, written one after the other in the background: nobody waits for them, and
/// they come in order.
class PodEvents {
 public:
  PodEvents(Executor loop, client::EventRecorder& recorder) : recorder_(recorder), tasks_(loop) {}

  void normal(ObjectPtr pod, std::string reason, std::string message);
  void warning(ObjectPtr pod, std::string reason, std::string message);
  awaitable<void> stop() { return tasks_.stop(); }

 private:
  struct Event {
    ObjectPtr pod;
    bool warning = false;
    std::string reason;
    std::string message;
  };
  void add(Event event);
  awaitable<void> write_all();

  client::EventRecorder& recorder_;
  std::deque<Event> waiting_;
  bool is_writing_ = false;
  TaskGroup tasks_;
};

}  // namespace trainyard::node
