#include "workloads/apps/apps.h"
#include "workloads/apps/revision.h"
#include "workloads/apps/test_cluster.h"
#include "workloads/text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

/// A Deployment whose template changes again and again while calls fail, watches break and
/// controllers die.
class Simulation {
 public:
  explicit Simulation(std::uint32_t seed) : faults_(seed) {
    replicas_ = 1 + faults_.roll(8);
    surge_ = faults_.roll(4);
    unavailable_ = faults_.roll(3);
    if (surge_ + unavailable_ == 0) surge_ = 1;
    unavailable_ = std::min<std::int64_t>(unavailable_, replicas_);
    cluster_.becomes_ready = [this] { return faults_.roll(5) == 0; };
    cluster_.has_ended = [this] { return faults_.roll(3) == 0; };
  }

  /// `crashes`: pods die too, and the size changes; then only the end can be promised.
  void run(bool crashes) {
    crashes_ = crashes;
    cluster_.deploy(
        replicas_, "v0",
        {{"strategy",
          {{"type", "RollingUpdate"},
           {"rollingUpdate", {{"maxSurge", surge_}, {"maxUnavailable", unavailable_}}}}},
         {"revisionHistoryLimit", 2},
         {"progressDeadlineSeconds", 60}});
    converge();
    for (int change = 0; change < 6 && !testing::Test::HasFatalFailure(); ++change) {
      faults_.plague(cluster_.world.api, 15);
      image_ = faults_.roll(4) == 0 ? "bad" : fmt::format("v{}", faults_.roll(4));
      change_image();
      for (int step = faults_.roll(80); step > 0; --step) move();
      if (image_ == "bad") {
        image_ = "v9";
        change_image();
      }
      if (faults_.roll(2) == 0) {
        for (int step = faults_.roll(80); step > 0; --step) move();
      } else {
        converge();
      }
    }
    converge();
  }

 private:
  void change_image() {
    JsonArray containers{{{"name", "main"}, {"image", image_}}};
    cluster_.change({{"template", {{"spec", {{"containers", std::move(containers)}}}}}});
  }

  void move() {
    disturb();
    cluster_.step();
    if (!crashes_) check_limits();
  }

  void disturb() {
    faults_.disturb(cluster_.world.api, 60, [this] { cluster_.restart(); });
    if (!crashes_) return;
    const auto pods = cluster_.active_pods();
    if (!pods.empty() && faults_.roll(10) == 0) {
      Json victim =
          pods[static_cast<std::size_t>(faults_.roll(static_cast<int>(pods.size())))]->body();
      if (faults_.roll(2) == 0) {
        cluster_.world.api.erase(kPods, key_of(victim));
      } else {
        make_path(victim, "status.phase") = "Failed";
        cluster_.world.api.put(kPods, std::move(victim));
      }
    }
    if (faults_.roll(40) == 0) {
      replicas_ = faults_.roll(9);
      cluster_.change({{"replicas", replicas_}});
    }
  }

  void check_limits() {
    const auto pods = static_cast<std::int64_t>(cluster_.active_pods().size());
    ASSERT_LE(pods, replicas_ + surge_);
    ever_full_ = ever_full_ || cluster_.count_ready() == replicas_;
    if (ever_full_) ASSERT_GE(cluster_.count_ready(), replicas_ - unavailable_);
  }

  void converge() {
    faults_.plague(cluster_.world.api, 0);
    const bool crashes = std::exchange(crashes_, false);
    for (int step = 0; step < 1200 && !is_done(); ++step) {
      cluster_.step();
      if (!crashes) check_limits();
      if (testing::Test::HasFatalFailure()) return;
    }
    crashes_ = crashes;
    ASSERT_TRUE(is_done()) << all_objects();
  }

  std::string all_objects() {
    std::string text = to_pretty_text(cluster_.deployment());
    for (const ObjectPtr& set : cluster_.sets()) text += to_pretty_text(set->body());
    for (const ObjectPtr& pod : cluster_.world.api.all(kPods)) text += to_pretty_text(pod->body());
    return text;
  }

  bool is_done() {
    const Json deployment = cluster_.deployment();
    std::int64_t old_sets = 0;
    for (const ObjectPtr& set : cluster_.sets()) {
      old_sets += int_at(set->body(), "spec.replicas") == 0 ? 1 : 0;
    }
    return cluster_.count_image(image_) == replicas_ &&
           static_cast<std::int64_t>(cluster_.active_pods().size()) == replicas_ &&
           cluster_.count_ready() == replicas_ && old_sets <= (replicas_ == 0 ? 3 : 2) &&
           int_at(deployment, "status.availableReplicas") == replicas_ &&
           int_at(deployment, "status.updatedReplicas") == replicas_ &&
           condition_field(deployment, "Progressing", "reason") == "NewReplicaSetAvailable" &&
           int_at(deployment, "status.observedGeneration") ==
               int_at(deployment, "metadata.generation");
  }

  TestCluster cluster_;
  Faults faults_;
  std::int64_t replicas_ = 0;
  std::int64_t surge_ = 0;
  std::int64_t unavailable_ = 0;
  std::string image_ = "v0";
  bool crashes_ = false;
  bool ever_full_ = false;
};

TEST(DeploymentSimulation, KeepsItsLimitsWhateverFails) {
  for (const std::uint32_t seed : sim_seeds(10)) {
    SCOPED_TRACE(fmt::format("replay with SIM_SEED={}", seed));
    Simulation(seed).run(false);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(DeploymentSimulation, ArrivesWhateverDies) {
  for (const std::uint32_t seed : sim_seeds(10)) {
    SCOPED_TRACE(fmt::format("replay with SIM_SEED={}", seed));
    Simulation(seed).run(true);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace trainyard::workloads
