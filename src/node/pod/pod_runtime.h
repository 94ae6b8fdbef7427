#pragma once

#include "node/node_parts.h"
#include "node/pod_facts.h"
#include "node/run/run_preparation.h"
#include "object/values/metadata.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// What runs the containers of one pod. PodWorker and PodContainers decide what is to happen; a
/// runtime makes it happen and says how it stands. Each container has runs, numbered from 0. What a
/// runtime knows of a run survives the server.
class PodRuntime {
 public:
  /// Called when state() may have something new to say of a run that is watched.
  using OnNews = std::function<void()>;
  /// What the owner of a container that was started is told.
  struct Launch {
    std::string image;  // what was made of its image; empty: there is nothing to tell
    std::vector<std::string> warnings;
  };

  virtual ~PodRuntime() = default;

  /// Before all others, once, unless the pod has ended before this server saw it.
  virtual void begin(const ObjectPtr& pod) = 0;
  /// Makes ready what the containers see of ConfigMaps, Secrets and tokens, also while they run.
  /// True: containers that had to wait for it need not any longer.
  virtual awaitable<bool> refresh_files(ObjectPtr pod) = 0;
  /// Whether a ConfigMap or Secret of that name matters to them.
  virtual bool shows(const std::string& config) const = 0;
  /// When time alone is news.
  virtual std::optional<TimePoint> next_look() const = 0;
  /// How long a container must have run before it is worth telling.
  virtual std::chrono::milliseconds settle_time() const = 0;

  /// The number of the last run that was prepared; 0 also when there is none.
  virtual int last_run(const std::string& container) const = 0;
  /// How a run stands, with what the container itself has said about its end. `container` is its
  /// entry in the pod's spec.
  virtual RunState state(const Json& container, int number) const = 0;
  virtual void watch(const std::string& container, int number) = 0;
  virtual void unwatch(const std::string& container) = 0;

  /// Fills in `told` when it succeeds.
  virtual std::optional<Obstacle> start(const ObjectPtr& pod, const Json& container, int number,
                                        Launch& told) = 0;
  /// Asks it to end now, and makes it end after the grace period. May be called again with less
  /// grace. False when it could not be asked (yet).
  virtual bool stop(const std::string& container, int number, std::int64_t grace_seconds) = 0;
  /// Forgets runs that are older than `number` by more than `kept`.
  virtual void forget_runs(const std::string& container, int number, int kept) = 0;
  /// Where probes and hooks reach the run's processes; nothing: it has none.
  virtual std::optional<std::filesystem::path> folder(const std::string& container,
                                                      int number) const = 0;

  /// The pod has ended and stays: only its logs are of use.
  virtual awaitable<Result<>> free_space() = 0;
  /// The pod is gone.
  virtual awaitable<Result<>> remove() = 0;
};

}  // namespace trainyard::node
