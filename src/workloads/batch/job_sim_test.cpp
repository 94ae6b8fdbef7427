#include "workloads/apps/pods.h"
#include "workloads/batch/test_jobs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

/// A Job whose pods end well or badly or are deleted by somebody, while calls fail, watches break
/// and the controller dies. However it goes, every end is counted once.
class Simulation {
 public:
  explicit Simulation(std::uint32_t seed) : faults_(seed) {
    completions_ = 1 + faults_.roll(8);
    parallelism_ = 1 + faults_.roll(4);
    indexed_ = faults_.roll(2) == 0;
  }

  void run() {
    JsonObject spec{
        {"completions", completions_}, {"parallelism", parallelism_}, {"backoffLimit", 1000}};
    if (indexed_) spec["completionMode"] = "Indexed";
    jobs_.submit(std::move(spec));
    faults_.plague(jobs_.world.api, 12);
    for (int step = 0; step < 400 && !jobs_.has_condition("Complete"); ++step) {
      faults_.disturb(jobs_.world.api, 40, [this] { jobs_.restart(); });
      live();
      jobs_.world.pass(500ms, 500ms);
      jobs_.work_as_node();
      ASSERT_LE(static_cast<std::int64_t>(jobs_.active_pods().size()), parallelism_);
    }
    faults_.plague(jobs_.world.api, 0);
    for (int step = 0; step < 2000 && !jobs_.has_condition("Complete"); ++step) {
      for (const ObjectPtr& pod : jobs_.active_pods()) end(pod, true);
      jobs_.pass(1s);
    }
    ASSERT_TRUE(jobs_.has_condition("Complete")) << to_pretty_text(jobs_.job());
    EXPECT_EQ(jobs_.status("succeeded"), completions_);
    EXPECT_EQ(succeeded_.size(), static_cast<std::size_t>(completions_));
    EXPECT_EQ(jobs_.status("failed"), static_cast<std::int64_t>(failed_.size()));
  }

 private:
  void end(const ObjectPtr& pod, bool well) {
    jobs_.end_pod(pod, well);
    (well ? succeeded_ : failed_).emplace(uid_of(pod->body()));
  }

  void live() {
    for (const ObjectPtr& pod : jobs_.world.api.all(kPods)) {
      if (is_being_deleted(pod->body()) || faults_.roll(6) != 0) continue;
      const Key key = key_of(pod->body());
      const bool active = is_active_pod(pod->body());
      if (faults_.roll(4) == 0) {
        if (active) failed_.emplace(uid_of(pod->body()));
        EXPECT_TRUE(jobs_.world.api.user_removes(kPods, key));
      } else if (active) {
        end(pod, faults_.roll(3) != 0);
      }
    }
  }

  TestJobs jobs_;
  Faults faults_;
  std::int64_t completions_ = 0;
  std::int64_t parallelism_ = 0;
  bool indexed_ = false;
  std::set<std::string> succeeded_;
  std::set<std::string> failed_;
};

TEST(JobSimulation, CountsEveryEndOnceWhateverFails) {
  for (const std::uint32_t seed : sim_seeds(40)) {
    SCOPED_TRACE(fmt::format("replay with SIM_SEED={}", seed));
    Simulation(seed).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace trainyard::workloads
