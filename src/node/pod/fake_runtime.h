#pragma once

#include "node/node_parts.h"
#include "node/pod/pod_runtime.h"

#include <map>
#include <utility>

namespace trainyard::node {

/// On a pod of a fake runtime: how long its containers seem to run and the code that they seem to
/// end with, such as "2s 0" or "500ms 137". Without it they run until they are stopped.
inline constexpr const char* kFakeExitAnnotation = "trainyard.dev/fake-exit";

struct FakeExit {
  std::chrono::milliseconds after{};
  std::int64_t code = 0;
};
Result<FakeExit> parse_fake_exit(std::string_view text);

/// Only says that containers run: for measuring and testing everything but the processes, with as
/// many nodes and pods as one likes. Init containers succeed at once. Touches no disk: what a
/// server before this one said of a container is in the pod's status, and all that is needed.
class FakeRuntime final : public PodRuntime {
 public:
  FakeRuntime(Clock& clock, OnNews on_news) : clock_(clock), on_news_(std::move(on_news)) {}

  void begin(const ObjectPtr& pod) override;
  awaitable<bool> refresh_files(ObjectPtr pod) override;
  bool shows(const std::string&) const override { return false; }
  std::optional<TimePoint> next_look() const override;
  std::chrono::milliseconds settle_time() const override { return {}; }

  int last_run(const std::string& container) const override;
  RunState state(const Json& container, int number) const override;
  void watch(const std::string&, int) override {}
  void unwatch(const std::string&) override {}

  std::optional<Obstacle> start(const ObjectPtr& pod, const Json& container, int number,
                                Launch& told) override;
  bool stop(const std::string& container, int number, std::int64_t grace_seconds) override;
  void forget_runs(const std::string& container, int number, int kept) override;
  std::optional<std::filesystem::path> folder(const std::string&, int) const override {
    return std::nullopt;
  }

  awaitable<Result<>> free_space() override;
  awaitable<Result<>> remove() override;

 private:
  struct Run {
    RunState state;
    std::optional<WallTime> end;  // when it ends by itself
    std::int64_t code = 0;
  };
  void recall(const Json& status, const std::optional<FakeExit>& exit);

  Clock& clock_;
  OnNews on_news_;
  std::map<std::pair<std::string, int>, Run> runs_;
};

std::unique_ptr<PodRuntime> make_fake_runtime(NodeParts& parts, const PodFacts& facts,
                                              PodRuntime::OnNews on_news);

}  // namespace trainyard::node
