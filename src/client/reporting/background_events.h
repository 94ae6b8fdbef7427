#pragma once

#include "base/task_group.h"
#include "client/reporting/events.h"

#include <array>
#include <deque>
#include <string>

namespace trainyard::client {

/// Writes events behind the back of who tells them, who need not wait for the disk: in order for
/// each object, several objects' at a time. What is not written when it stops is lost, as are
/// events in a crash.
class BackgroundEvents {
 public:
  BackgroundEvents(Executor loop, EventRecorder& recorder) : recorder_(recorder), tasks_(loop) {}

  void normal(ObjectPtr about, std::string reason, std::string message);
  void warning(ObjectPtr about, std::string reason, std::string message);
  awaitable<void> stop() { return tasks_.stop(); }

  /// Of one lane: more are dropped, and the log says so.
  static constexpr std::size_t kMostWaiting = 4096;

 private:
  struct Event {
    Kept about;  // thousands may wait: none of them needs its tree
    bool warning = false;
    std::string reason;
    std::string message;
  };
  struct Lane {
    std::deque<Event> waiting;
    bool is_writing = false;
  };

  void add(Event event);
  awaitable<void> write_all(Lane& lane);

  EventRecorder& recorder_;
  std::array<Lane, 32> lanes_;
  TaskGroup tasks_;
};

}  // namespace trainyard::client
