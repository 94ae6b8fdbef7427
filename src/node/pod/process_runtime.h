#pragma once

#include "node/node_parts.h"
#include "node/pod/pod_runtime.h"
#include "node/run/run_watcher.h"

#include <map>

namespace trainyard::node {

/// Runs containers as processes of this machine, each below a shim. All that it knows of a run is
/// in the run's folder: a server that comes back knows the same.
class ProcessRuntime final : public PodRuntime {
 public:
  ProcessRuntime(NodeParts& parts, const PodFacts& facts, OnNews on_news)
      : parts_(parts), facts_(facts), on_news_(std::move(on_news)), files_(parts) {}

  void begin(const ObjectPtr& pod) override;
  awaitable<bool> refresh_files(ObjectPtr pod) override;
  bool shows(const std::string& config) const override { return files_.uses(config); }
  std::optional<TimePoint> next_look() const override { return files_.next_look(); }
  std::chrono::milliseconds settle_time() const override;

  int last_run(const std::string& container) const override;
  RunState state(const Json& container, int number) const override;
  void watch(const std::string& container, int number) override;
  void unwatch(const std::string& container) override { watches_.erase(container); }

  std::optional<Obstacle> start(const ObjectPtr& pod, const Json& container, int number,
                                Launch& told) override;
  bool stop(const std::string& container, int number, std::int64_t grace_seconds) override;
  void forget_runs(const std::string& container, int number, int kept) override;
  std::optional<std::filesystem::path> folder(const std::string& container,
                                              int number) const override;

  awaitable<Result<>> free_space() override;
  awaitable<Result<>> remove() override;

 private:
  ContainerRun run_of(const std::string& container, int number) const;
  Result<> confine(const Json& pod, const Json& container, int number, RunSpec& spec);

  NodeParts& parts_;
  const PodFacts& facts_;
  OnNews on_news_;
  std::vector<std::string> containers_;
  PodFiles files_;
  std::map<std::string, RunWatcher::Watch> watches_;
};

std::unique_ptr<PodRuntime> make_process_runtime(NodeParts& parts, const PodFacts& facts,
                                                 PodRuntime::OnNews on_news);

}  // namespace trainyard::node
