// Random histories of a job, each checked for the invariants of the replica engine after every
// step: never two pods for one index; a finished job stays finished; a restart is counted once and
// never beyond the limit; status tells what the pods are. SIM_SEED=N replays one history.
#include "jobs/engine/plan.h"
#include "jobs/engine/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace trainyard::jobs {
namespace {

constexpr unsigned kHistories = 60;
constexpr int kSteps = 60;

class History {
 public:
  explicit History(unsigned seed) : random_(seed), world_(make_world()) {}

  void run() {
    for (int step = 0; step < kSteps && !testing::Test::HasFatalFailure(); ++step) {
      world_.now += std::chrono::seconds(pick(3));
      if (pick(2) == 0) {
        act_as_node_or_user();
      } else {
        act_as_controller();
      }
      check_always();
    }
    world_.finish_deletions();
    ASSERT_TRUE(world_.settle()) << "plans do not converge";
    check_always();
    check_settled();
  }

 private:
  int pick(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }
  template <class T, std::size_t N>
  T pick(const T (&values)[N]) {
    return values[pick(static_cast<int>(N))];
  }

  World make_world() {
    const char* const policies[] = {"Never", "OnFailure", "Always", "ExitCode"};
    const char* const clean_ups[] = {"None", "Unfinished", "All"};
    limit_ = pick(4);
    replicas_ = 1 + pick(3);
    const std::string deadline = pick(4) == 0 ? ", activeDeadlineSeconds: 40" : "";
    World world =
        World::with_groups({fmt::format("{{type: master, restartPolicy: {}}}", pick(policies)),
                            fmt::format("{{type: worker, replicas: {}, restartPolicy: {}}}",
                                        replicas_, pick(policies))},
                           fmt::format("{{backoffLimit: {}, cleanUpPolicy: {}{}}}", limit_,
                                       pick(clean_ups), deadline));
    if (pick(2) == 0) world.delete_slowly();
    return world;
  }

  /// A plan is made and carried out, up to a crash; meanwhile other things may happen.
  void act_as_controller() {
    const JobPlan plan = world_.plan();
    const int refused = world_.refused_creations;
    const bool meanwhile = pick(4) == 0;
    if (meanwhile) act_as_node_or_user();
    world_.apply(plan, pick(3) == 0 ? static_cast<std::size_t>(pick(4)) : 99);
    ASSERT_EQ(world_.refused_creations, refused) << "a second pod for one index";
  }

  void act_as_node_or_user() {
    if (world_.pods.empty()) return;
    if (pick(8) == 0) return world_.finish_deletions();
    const std::int64_t codes[] = {0, 1, 130, 137, 138, 143};
    auto chosen = world_.pods.begin();
    std::advance(chosen, pick(static_cast<int>(world_.pods.size())));
    const std::string name = chosen->first.substr(world_.pod_name("").size());
    const std::string_view phase = string_at(chosen->second, "status.phase");
    const bool ended = phase == "Succeeded" || phase == "Failed";
    if (pick(6) == 0) {
      // An end that nobody has seen yet cannot be counted: let it be seen first.
      if (!ended || world_.replica_phase(name) == phase) world_.delete_pod(name);
    } else if (phase == "Pending") {
      world_.set_phase(name, "Running");
    } else if (!ended) {
      // Who is told to end obeys; an exit code of its own would be a matter of luck.
      world_.end_pod(name, is_being_deleted(chosen->second) ? 143 : pick(codes));
    }
  }

  void check_always() {
    ASSERT_LE(world_.backoff(), limit_);
    ASSERT_LE(world_.restarts, limit_);
    const std::string phase = world_.phase();
    const std::string completed =
        world_.condition("Completed") + std::string(string_at(world_.status(), "completionTime"));
    if (!finished_as_.empty()) {
      ASSERT_EQ(phase, finished_as_) << "a finished job stays finished";
      ASSERT_EQ(completed, completed_);
      ASSERT_EQ(world_.backoff(), final_backoff_);
    } else if (phase == "Succeeded" || phase == "Failed") {
      finished_as_ = phase;
      completed_ = completed;
      final_backoff_ = world_.backoff();
    }
    if (!world_.status().get_object().contains("aggregate")) return;
    std::int64_t counted = 0;
    for (const auto& count : object_at(world_.status(), "aggregate")) {
      counted += count.value().to_number<std::int64_t>();
    }
    ASSERT_EQ(counted, 1 + replicas_);
  }

  void check_settled() {
    ASSERT_EQ(world_.backoff(), world_.restarts);
    for (int i = -1; i < replicas_; ++i) {
      const std::string name = i < 0 ? "master-0" : fmt::format("worker-{}", i);
      if (!world_.has_pod(name)) {
        ASSERT_EQ(world_.replica_phase(name), "Deleted") << name;
        continue;
      }
      if (is_being_deleted(world_.pod(name))) continue;
      ASSERT_EQ(world_.replica_phase(name), string_at(world_.pod(name), "status.phase")) << name;
      ASSERT_EQ(string_at(world_.replica(name), "uid"), uid_of(world_.pod(name))) << name;
    }
  }

  std::mt19937 random_;
  int limit_ = 0;
  int replicas_ = 0;
  World world_;
  std::string finished_as_;
  std::string completed_;
  std::int64_t final_backoff_ = 0;
};

TEST(PlanSim, InvariantsHoldThroughFailuresDeletionsAndCrashes) {
  const char* replay = std::getenv("SIM_SEED");
  const unsigned first = replay == nullptr ? 1 : static_cast<unsigned>(std::atoi(replay));
  const unsigned last = replay == nullptr ? kHistories : first;
  for (unsigned seed = first; seed <= last && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("replay with SIM_SEED={}", seed));
    History(seed).run();
  }
}

}  // namespace
}  // namespace trainyard::jobs
