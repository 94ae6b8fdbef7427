#pragma once

#include "base/clock.h"
#include "cli/arena/types.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

/// What Arena tells of a job, from the job's object and its pods. Pure.
namespace trainyard::cli::arena {

struct TrainingJob {
  TrainingType type;
  ObjectPtr object;
  std::vector<ObjectPtr> pods;  // its instances, by name

  const Json& body() const { return object->body(); }
  std::string name() const { return std::string(name_of(body())); }
  std::string ns() const { return std::string(namespace_of(body())); }
};

/// SUCCEEDED, FAILED, RUNNING, QUEUING or PENDING, as the job itself says.
std::string raw_status(const TrainingJob& job);
/// The same, but a job that runs is PENDING while one of its pods is.
std::string effective_status(const TrainingJob& job);

/// The pod that stands for the job; nullptr when there is none. Of several, as after a restart, the
/// newest that does not wait, else the newest.
const Json* chief_of(const TrainingJob& job);

/// When it began as lists see it: its creation, of a TFJob its start.
std::optional<WallTime> start_of(const TrainingJob& job);
/// Goes on after its end; nothing before its start.
std::chrono::nanoseconds age_of(const TrainingJob& job, WallTime now);
/// How long it has trained; stays as it is after its end.
std::chrono::nanoseconds duration_of(const TrainingJob& job, WallTime now);

/// What it asks for: as its annotation says, which is there before any pod; else the sum of its
/// pods'.
std::int64_t requested_gpus(const TrainingJob& job);
/// GPUs of pods that run.
std::int64_t running_gpus(const TrainingJob& job);
/// GPUs of pods that have been started and not ended: also of those that still load an image.
std::int64_t held_gpus(const TrainingJob& job);

/// The priority class, or N/A.
std::string priority_of(const TrainingJob& job);

/// PYTORCHJOB.
std::string trainer_name(const TrainingJob& job);

}  // namespace trainyard::cli::arena
