#pragma once

#include "base/clock.h"
#include "client/api.h"

#include <string>

namespace trainyard::client {

/// Tells people what happened to an object. An event that repeats is counted, not written again.
/// Best effort: an event that cannot be written is logged and forgotten.
class EventRecorder {
 public:
  EventRecorder(Api& api, Clock& clock, std::string component)
      : api_(api), clock_(clock), component_(std::move(component)) {}

  awaitable<void> normal(ObjectPtr about, std::string reason, std::string message);
  awaitable<void> warning(ObjectPtr about, std::string reason, std::string message);

 private:
  awaitable<void> record(ObjectPtr about, std::string type, std::string reason,
                         std::string message);

  Api& api_;
  Clock& clock_;
  std::string component_;
};

}  // namespace trainyard::client
