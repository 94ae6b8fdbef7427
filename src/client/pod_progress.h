#pragma once

#include "base/async.h"
#include "object/metadata.h"

#include <vector>

namespace trainyard::client {

/// How far the training in a pod has come, as far as it says so itself: {"epoch": {"at", "of"},
/// "step": {"at", "of"}, "unit", "share", "rate", "rateUnit", "secondsLeft", "values": {NAME:
/// NUMBER}, "at", "words"}, without what is not known.
struct PodProgress {
  ObjectPtr pod;
  Json progress;
};

/// Looked for when somebody asks, and written nowhere: it changes all the time.
class PodProgresses {
 public:
  virtual ~PodProgresses() = default;
  /// Of those of the pods that run and say something of it.
  virtual awaitable<std::vector<PodProgress>> tell_progress(std::vector<ObjectPtr> pods) = 0;
};

}  // namespace trainyard::client
