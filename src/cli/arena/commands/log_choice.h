#pragma once

#include "cli/arena/training_job.h"
#include "cli/logs/log_sources.h"

#include <optional>
#include <string>
#include <vector>

/// Which logs `arena logs` prints. Pure.
namespace trainyard::cli::arena {

struct LogsFlags {
  std::string type;
  std::string instance;
  std::string container;
  std::string since;
  std::string since_time;
  std::int64_t tail = -1;
  bool follow = false;
  bool timestamps = false;
  bool all = false;       // of all instances, in the order of time
  bool previous = false;  // of the run before the last
};

/// The job with stand-ins for instances that are gone and whose logs are kept. `kept` is oldest
/// first; what went before the job was made is another's of the same name.
TrainingJob with_kept_instances(TrainingJob job, const std::vector<client::KeptLog>& kept);
/// A job of which nothing is left but its logs; nothing when there are none.
std::optional<TrainingJob> job_from_kept(const std::string& name, const std::string& ns,
                                         const std::vector<client::KeptLog>& kept);
/// Whether only the log of this instance is left.
bool is_gone(const Json& instance);

/// The pod that is asked for: the named one, the only one, else the chief.
Result<const Json*> choose_instance(const TrainingJob& job, const std::string& named);
/// The init container that the pod is at or has failed in; empty when it is past them.
std::string initialising_container(const Json& pod);
/// The container to read: the one that is asked for, else the one that the pod waits for in its
/// initialisation, else the one that trains.
std::string choose_container(const TrainingJob& job, const Json& pod, const std::string& named);
/// Whether it has no log yet: it waits, and not for an init container that runs.
bool has_not_started(const Json& pod);

LogSource source_of(const TrainingJob& job, const Json& pod, bool previous);

/// From when on, by --since or --since-time.
Result<std::optional<WallTime>> log_start(const LogsFlags& flags, WallTime now);

}  // namespace trainyard::cli::arena
