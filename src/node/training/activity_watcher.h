#pragma once

#include "base/notifier.h"
#include "base/task_group.h"
#include "client/api.h"
#include "client/pod_stacks.h"
#include "node/training/activity_reader.h"
#include "node/training/step_race.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::node {

/// Watches what the ranks of jobs do on this machine, and tells in a condition of their pods
/// (contract/rank_activity.h) when one does nothing any more, where it is, and when it moves again.
/// A pod whose ranks move is never written to; when no job runs, nothing is read. Never ends
/// anything. Lives on the loop.
class ActivityWatcher final : public client::PodStacks {
 public:
  /// `files`: one thread on which /proc is read.
  ActivityWatcher(Executor loop, client::Api& api, Clock& clock, Executor files,
                  const NodeConfig& config);
  void start() { tasks_.spawn("activity watcher", run()); }
  awaitable<void> stop() { return tasks_.stop(); }

  /// A pod of this machine has changed.
  void note(const Json& pod, bool deleted);
  awaitable<Result<std::vector<client::ProcessStack>>> take_stacks(Key pod) override;

 private:
  struct Unit {
    explicit Unit(ActivityLimits limits) : watch(limits) {}
    RankWatch watch;
    RankProcess process;
    contract::RankReport report;  // as it was last put together
    bool seen = false;            // at the last look
  };
  struct Pod {
    Key key;
    std::string group;  // the same for those that do the same in one job
    ActivityLimits limits;
    std::vector<UsageTarget> running;
    std::map<std::tuple<std::string, int, std::uint64_t>, Unit> units;
    std::vector<contract::RankReport> told;
    TimePoint looked{};
    bool counts_slowly = false;
  };
  /// Of one group of pods.
  struct Race {
    StepRace steps;
    std::int64_t window = 0;  // that which was last looked at
  };

  awaitable<void> run();
  std::chrono::milliseconds pause() const;
  awaitable<void> look();
  awaitable<void> compare_steps();
  std::map<std::string, UsageTarget> logs_of_group(const std::string& group) const;
  static contract::RankPace pace_of(const Pod& pod, const Unit& unit);
  void take(Pod& pod, const RankReading& reading);
  bool has_news(const Pod& pod) const;
  awaitable<void> tell(std::string uid);
  awaitable<void> locate(std::string uid);
  awaitable<bool> write(Key key, std::string uid, std::vector<contract::RankReport> reports);
  WallTime wall_at(TimePoint time) const;

  struct Answer {
    TimePoint time;
    std::vector<client::ProcessStack> stacks;
  };

  client::Api& api_;
  Clock& clock_;
  Executor files_;
  const NodeConfig& config_;
  std::shared_ptr<ActivityReader> reader_;  // shared: a reading may outlive its asker
  std::map<std::string, Pod> pods_;         // by uid; those of jobs that run
  std::map<std::string, Race> races_;       // by group
  std::map<std::string, Answer> answers_;   // by uid, of a moment ago
  Notifier changed_;
  TaskGroup tasks_;
};

/// The frames of a stack that are told in a condition: the innermost ones, and the first that is
/// the user's own code.
std::vector<std::string> telling_frames(const contract::ThreadStack& stack);

}  // namespace trainyard::node
