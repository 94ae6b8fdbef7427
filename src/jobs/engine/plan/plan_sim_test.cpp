// Random histories of a job, each checked for the invariants of the replica engine after every
// step: never two pods for one index; a finished job stays finished; a restart is counted once and
// never beyond the limit; where all restart together, pods of two rounds never meet; a held job has
// no pods that live; status tells what the pods are. Of T9k's kinds and of Kubeflow's.
// SIM_SEED=N replays one history, SIM_SEEDS=N runs so many.
#include "jobs/engine/form/names.h"
#include "jobs/engine/plan/plan.h"
#include "jobs/engine/test_world.h"
#include "jobs/kubeflow/pytorch_job.h"
#include "object/values/status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

namespace trainyard::jobs {
namespace {

constexpr unsigned kHistories = 300;
constexpr int kSteps = 60;
const PyTorchJob kKubeflow;

class History {
 public:
  explicit History(unsigned seed)
      : random_(seed),
        kubeflow_(pick(3) == 0),
        together_(!kubeflow_ && pick(3) == 0),
        elastic_(pick(4) == 0),
        world_(kubeflow_ ? make_kubeflow_world() : make_world()) {}

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
    // Old pods go, then new ones come: where all restart together that takes two looks.
    for (int look = 0; look < 2; ++look) {
      world_.finish_deletions();
      ASSERT_TRUE(world_.settle()) << "plans do not converge";
    }
    check_always();
    check_settled();
  }

 private:
  int pick(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }
  template <class T, std::size_t N>
  T pick(const T (&values)[N]) {
    return values[pick(static_cast<int>(N))];
  }

  std::string run_policy() {
    const char* const clean_ups[] = {"None", "Unfinished", "All"};
    limit_ = pick(4);
    std::string policy =
        fmt::format("backoffLimit: {}, cleanUpPolicy: {}", limit_, pick(clean_ups));
    if (pick(4) == 0) policy += ", activeDeadlineSeconds: 40";
    if (together_) policy += ", restartScope: Job";
    if (pick(4) == 0) policy += ", onReplicaFailure: StopJob";
    return "{" + policy + "}";
  }

  World make_world() {
    const char* const policies[] = {"Never", "OnFailure", "Always", "ExitCode"};
    replicas_ = 1 + pick(3);
    const std::string policy = run_policy();
    World world =
        World::with_groups({fmt::format("{{type: master, restartPolicy: {}}}", pick(policies)),
                            fmt::format("{{type: worker, replicas: {}, restartPolicy: {}}}",
                                        replicas_, pick(policies))},
                           policy);
    if (elastic_) {
      make_path(world.job, "spec.torchrunConfig.enabled") = true;
      make_path(world.job, "spec.elastic") =
          JsonObject{{"enabled", true}, {"minReplicas", 1}, {"maxReplicas", 6}};
    }
    if (pick(4) == 0) make_path(world.job, "spec.runMode.pause.enabled") = true;
    if (pick(4) == 0) make_path(world.job, "spec.tensorboardSpec") = JsonObject{{"image", "tb"}};
    if (pick(2) == 0) world.delete_slowly();
    return world;
  }

  World make_kubeflow_world() {
    const char* const policies[] = {"Never", "OnFailure", "Always", "ExitCode"};
    const char* const clean_ups[] = {"None", "Running", "All"};
    limit_ = pick(4);
    replicas_ = 1 + pick(3);
    const auto role = [&](const char* name, int count) {
      return fmt::format(
          "{}: {{replicas: {}, restartPolicy: {}, template: {{spec: {{containers: "
          "[{{name: pytorch, image: i}}]}}}}}}",
          name, count, pick(policies));
    };
    World world(
        kKubeflow,
        fmt::format("runPolicy: {{backoffLimit: {}, cleanPodPolicy: {}{}, suspend: {}}}\n"
                    "pytorchReplicaSpecs: {{{}, {}}}\n{}",
                    limit_, pick(clean_ups), pick(4) == 0 ? ", activeDeadlineSeconds: 40" : "",
                    pick(4) == 0, role("Master", 1), role("Worker", replicas_),
                    elastic_ ? "elasticPolicy: {minReplicas: 1, maxReplicas: 6}" : ""));
    if (pick(2) == 0) world.delete_slowly();
    return world;
  }

  Json& pause_switch() {
    return make_path(world_.job,
                     kubeflow_ ? "spec.runPolicy.suspend" : "spec.runMode.pause.enabled");
  }
  bool paused() const {
    return bool_at(world_.job, kubeflow_ ? "spec.runPolicy.suspend" : "spec.runMode.pause.enabled");
  }

  /// A plan is made and carried out, up to a crash; meanwhile other things may happen.
  void act_as_controller() {
    const JobPlan plan = world_.plan();
    const int refused = world_.refused_creations;
    const bool meanwhile = pick(4) == 0;
    if (meanwhile) act_as_node_or_user();
    world_.apply(plan, pick(3) == 0 ? static_cast<std::size_t>(pick(5)) : 99);
    ASSERT_EQ(world_.refused_creations, refused) << "a second pod for one index";
  }

  void act_as_node_or_user() {
    if (pick(12) == 0) {
      pause_switch() = !paused();
      return;
    }
    if (elastic_ && pick(8) == 0) {
      make_path(world_.job, kubeflow_ ? "spec.pytorchReplicaSpecs.Worker.replicas"
                                      : "spec.elastic.expectedReplicas") = 1 + pick(6);
      return;
    }
    if (world_.pods.empty()) return;
    if (pick(8) == 0) return world_.finish_deletions();
    act_on_a_pod();
  }

  void act_on_a_pod() {
    const std::int64_t codes[] = {0, 1, 130, 137, 138, 143};
    auto chosen = world_.pods.begin();
    std::advance(chosen, pick(static_cast<int>(world_.pods.size())));
    const std::string name = chosen->first.substr(world_.pod_name("").size());
    const std::string_view phase = string_at(chosen->second, "status.phase");
    const bool ended = is_final(phase);
    // What was made, and lost before anybody saw it, leaves no trace.
    const bool seen = string_at(world_.replica(name), "uid") == uid_of(chosen->second);
    if (!ended && seen && pick(12) == 0) {
      world_.lose_pod(name);
    } else if (seen && pick(6) == 0) {
      // An end that nobody has seen yet cannot be counted: let it be seen first.
      if (!ended || world_.replica_phase(name) == phase) world_.delete_pod(name);
    } else if (phase == "Pending") {
      world_.set_phase(name, "Running");
    } else if (!ended) {
      // Who is told to end obeys, with whatever code.
      const std::int64_t code = pick(codes);
      const std::string_view policy = string_at(chosen->second, "spec.restartPolicy");
      const bool again = policy == "Always" || (policy == "OnFailure" && code != 0);
      if (again && !is_being_deleted(chosen->second)) return world_.restart_container(name, code);
      world_.end_pod(name, code);
    }
  }

  void check_always() {
    ASSERT_LE(world_.backoff(), limit_);
    if (!together_ && !elastic_) ASSERT_LE(world_.restarts, limit_);
    check_end();
    check_rounds();
    check_counts();
    if (kubeflow_) check_conditions();
  }

  /// They tell one story: of the end, of a pause, or of what runs.
  void check_conditions() {
    std::set<std::string_view> holding;
    for (const Json& condition : array_at(world_.status(), "conditions")) {
      if (string_at(condition, "status") == "True") holding.insert(string_at(condition, "type"));
    }
    holding.erase("Created");
    ASSERT_LE(holding.size(), 1U);
    const std::string_view now = holding.empty() ? "" : *holding.begin();
    ASSERT_EQ(is_final(world_.phase()), is_final(now)) << world_.phase() << " and " << now;
    if (is_final(now)) ASSERT_EQ(now, world_.phase());
    ASSERT_EQ(world_.phase() == "Paused", now == "Suspended") << world_.phase();
  }

  void check_end() {
    const std::string phase = world_.phase();
    const std::string completed =
        world_.condition("Completed") + std::string(string_at(world_.status(), "completionTime"));
    if (!finished_as_.empty()) {
      ASSERT_EQ(phase, finished_as_) << "a finished job stays finished";
      ASSERT_EQ(completed, completed_);
      ASSERT_EQ(world_.backoff(), final_backoff_);
    } else if (is_final(phase)) {
      finished_as_ = phase;
      completed_ = completed;
      final_backoff_ = world_.backoff();
    }
  }

  void check_rounds() {
    if (!together_) return;
    std::set<std::string_view> rounds;
    for (const auto& [name, pod] : world_.pods) {
      rounds.insert(annotation_of(pod, kRestartsAnnotation));
    }
    ASSERT_LE(rounds.size(), 1U) << "pods of two rounds at once";
  }

  void check_counts() {
    const Json memory = world_.memory();
    if (!memory.get_object().contains("aggregate")) return;
    std::int64_t counted = 0;
    for (const auto& count : object_at(memory, "aggregate")) {
      counted += count.value().to_number<std::int64_t>();
    }
    std::size_t listed = 0;
    for (const Json& task : array_at(memory, "tasks")) {
      listed += array_at(task, "replicas").size();
    }
    ASSERT_EQ(counted, listed);
    if (!elastic_) ASSERT_EQ(counted, 1 + replicas_);
  }

  void check_settled() {
    const bool held = paused() && finished_as_.empty();
    if (!together_ && !elastic_) ASSERT_EQ(world_.backoff(), world_.restarts);
    if (held) ASSERT_EQ(world_.phase(), "Paused");
    std::size_t with_pods = 0;
    const Json memory = world_.memory();
    for (const Json& task : array_at(memory, "tasks")) {
      for (const Json& replica : array_at(task, "replicas")) {
        const auto pod = world_.pods.find(std::string(string_at(replica, "name")));
        if (pod != world_.pods.end()) {
          ++with_pods;
          check_pod(replica, pod->second, held);
        } else {
          check_missing(replica, held);
        }
      }
    }
    ASSERT_EQ(with_pods, world_.pods.size()) << "status tells of every pod";
  }

  void check_pod(const Json& replica, const Json& pod, bool held) const {
    ASSERT_EQ(string_at(replica, "uid"), uid_of(pod)) << name_of(pod);
    if (is_being_deleted(pod)) return;
    ASSERT_EQ(string_at(replica, "phase"), string_at(pod, "status.phase")) << name_of(pod);
    if (held) ASSERT_TRUE(has_ended(pod)) << name_of(pod) << " lives in a held job";
  }

  void check_missing(const Json& replica, bool held) const {
    if (held && string_at(replica, "uid").empty()) return;      // it has never been
    if (held && is_final(string_at(replica, "phase"))) return;  // it is replaced after the pause
    ASSERT_EQ(string_at(replica, "phase"), "Deleted") << string_at(replica, "name");
    if (held || !finished_as_.empty()) return;
    ASSERT_NE(string_at(replica, "endedAs"), "")
        << string_at(replica, "name") << " has no pod, and none is made";
  }

  std::mt19937 random_;
  bool kubeflow_ = false;
  bool together_ = false;
  bool elastic_ = false;
  int limit_ = 0;
  int replicas_ = 0;
  World world_;
  std::string finished_as_;
  std::string completed_;
  std::int64_t final_backoff_ = 0;
};

unsigned number_from(const char* variable, unsigned fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

TEST(PlanSim, KeepsItsInvariantsInRandomHistories) {
  unsigned first = 1;
  unsigned last = number_from("SIM_SEEDS", kHistories);
  if (std::getenv("SIM_SEED") != nullptr) first = last = number_from("SIM_SEED", 1);
  for (unsigned seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(fmt::format("replay with SIM_SEED={}", seed));
    History(seed).run();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace trainyard::jobs
