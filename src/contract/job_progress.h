#pragma once

#include "base/async.h"
#include "contract/log_sources.h"
#include "object/values/metadata.h"

#include <functional>
#include <vector>

namespace trainyard::contract {

/// How far the training of a job has come, as far as it says so itself: {"epoch": {"at", "of"},
/// "step": {"at", "of"}, "unit", "share", "rate", "rateUnit", "secondsLeft", "values": {NAME:
/// NUMBER}, "at", "words"}, without what is not known.
struct JobProgress {
  ObjectPtr pod;  // the one of the job's that says most
  Json progress;
};

/// Where the event files are of the job that a pod belongs to; nowhere when who asks may not see
/// them.
using LogFoldersOfPod = std::function<std::vector<LogFolderSource>(const Json& pod)>;

/// Looked for when somebody asks, and written nowhere: it changes all the time.
class JobProgresses {
 public:
  virtual ~JobProgresses() = default;
  /// Of the jobs that have some of these pods, those that run and say something. `folders` is asked
  /// about no job whose logs say all there is to say.
  virtual awaitable<std::vector<JobProgress>> tell_progress(std::vector<ObjectPtr> pods,
                                                            LogFoldersOfPod folders) = 0;
};

}  // namespace trainyard::contract
