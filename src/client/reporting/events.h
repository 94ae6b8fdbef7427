#pragma once

#include "base/clock.h"
#include "client/api.h"
#include "client/reporting/event_correlator.h"

#include <string>

namespace trainyard::client {

/// Tells people what happened to an object. An event that repeats is counted, not written again;
/// EventCorrelator says what else is spared. Best effort: an event that cannot be written is logged
/// and forgotten.
class EventRecorder {
 public:
  /// `instance`: which of several such components it is, such as the node's name.
  EventRecorder(Api& api, Clock& clock, std::string component, std::string instance = "")
      : api_(api),
        clock_(clock),
        component_(std::move(component)),
        instance_(std::move(instance)) {}

  awaitable<void> normal(ObjectPtr about, std::string reason, std::string message);
  awaitable<void> warning(ObjectPtr about, std::string reason, std::string message);

 private:
  awaitable<void> record(ObjectPtr about, std::string type, std::string reason,
                         std::string message);
  awaitable<Result<>> write(Json event, bool probably_there);
  awaitable<Result<>> count_again(Key key, Json event);

  Api& api_;
  Clock& clock_;
  std::string component_;
  std::string instance_;
  EventCorrelator correlator_;
};

}  // namespace trainyard::client
