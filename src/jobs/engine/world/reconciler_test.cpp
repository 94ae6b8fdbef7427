#include "jobs/engine/world/reconciler.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "jobs/engine/form/names.h"
#include "jobs/job_controller.h"
#include "jobs/kubeflow/pytorch_job.h"
#include "jobs/pytorch_training_job.h"
#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

constexpr const char* kJob = R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: PyTorchTrainingJob
metadata: {name: mnist, namespace: demo}
spec:
  replicaSpecs:
  - {type: master, template: {spec: {containers: [{name: main, image: host}]}}}
  - {type: worker, replicas: 3, template: {spec: {containers: [{name: main, image: host}]}}}
)";
const Key kKey{"demo", "mnist"};

/// A controller on an API in memory; the test plays the node.
class JobControllerTest : public testing::Test {
 protected:
  explicit JobControllerTest(const JobKind& kind = training_job()) : kind_(kind) { start(); }
  ~JobControllerTest() override { stop(); }

  static const JobKind& training_job() {
    static const PyTorchTrainingJob kind;
    return kind;
  }
  void start() {
    ports_ = std::make_unique<PortLeases>(loop_.executor(), api_, clock_, PortRange(),
                                          std::vector{kind_.resource()});
    owned_ = std::make_unique<OwnedObjects>(loop_.executor(), api_, clock_,
                                            std::vector{kPods, kServices, kTensorBoards});
    jobs_ =
        std::make_unique<JobController>(loop_.executor(), api_, clock_, kind_, *ports_, *owned_);
    ports_->start();
    owned_->start();
    jobs_->start();
    settle();
  }
  void stop() {
    loop_.run(jobs_->stop());
    loop_.run(owned_->stop());
    loop_.run(ports_->stop());
    jobs_.reset();
  }
  void settle(std::chrono::milliseconds span = 200ms) {
    for (auto passed = 0ms; passed <= span; passed += 10ms) {
      loop_.run_ready();
      clock_.advance(10ms);
    }
    loop_.run_ready();
  }
  void submit() {
    api_.put(kPyTorchTrainingJobs, *parse_json_or_yaml(kJob));
    settle();
  }
  const Json& job() { return (job_ = api_.find(kPyTorchTrainingJobs, kKey))->body(); }
  void set_all_phases(const char* phase) {
    for (const ObjectPtr& pod : api_.all(kPods)) {
      Json changed = pod->body();
      make_path(changed, "status.phase") = phase;
      api_.put(kPods, std::move(changed));
    }
  }
  std::map<std::string, int> events() {
    std::map<std::string, int> counts;
    for (const ObjectPtr& event : api_.all(kEvents)) {
      counts[std::string(string_at(event->body(), "reason"))] +=
          static_cast<int>(int_at(event->body(), "count"));
    }
    return counts;
  }

  TestLoop loop_;
  FakeClock clock_{loop_.executor()};
  client::FakeApi api_{loop_.executor(), clock_};
  const JobKind& kind_;
  std::unique_ptr<PortLeases> ports_;
  std::unique_ptr<OwnedObjects> owned_;
  std::unique_ptr<JobController> jobs_;
  ObjectPtr job_;
};

TEST_F(JobControllerTest, MakesAllChildrenAndTellsOfThemOnce) {
  submit();
  EXPECT_EQ(api_.all(kPods).size(), 4U);
  EXPECT_EQ(api_.all(kServices).size(), 1U);
  EXPECT_EQ(api_.all(kPodGroups).size(), 1U);
  EXPECT_EQ(string_at(job(), "status.phase"), "Pending");
  EXPECT_EQ(int_at(job(), "status.aggregate.pending"), 4);
  EXPECT_EQ(events(),
            (std::map<std::string, int>{{"Created", 1}, {"NewReplica", 4}, {"Start", 1}}));
}

TEST_F(JobControllerTest, ListsNothingWhileItWorks) {
  const std::size_t before = api_.calls("list");
  submit();
  set_all_phases("Running");
  settle();
  EXPECT_EQ(string_at(job(), "status.phase"), "Running");
  EXPECT_EQ(api_.calls("list"), before);
}

TEST_F(JobControllerTest, PodsThatChangeTogetherAreOneWrite) {
  submit();
  const std::size_t before = api_.calls("update");
  set_all_phases("Running");
  settle();
  EXPECT_EQ(string_at(job(), "status.phase"), "Running");
  EXPECT_EQ(api_.calls("update") - before, 1U);
}

TEST_F(JobControllerTest, GoesOnAfterACrashAtAnyWrite) {
  stop();
  for (int crash = 0; crash < 12; ++crash) {
    api_.put(kPyTorchTrainingJobs, *parse_json_or_yaml(kJob));
    int writes = 0;
    api_.after_write = [&](const client::FakeApi::Call&) -> Result<> {
      if (writes++ < crash) return Ok();
      return Error(Code::kUnavailable, "the process is gone");
    };
    start();
    stop();
    api_.after_write = nullptr;
    start();
    EXPECT_EQ(api_.all(kPods).size(), 4U) << "crash at write " << crash;
    EXPECT_EQ(string_at(job(), "status.phase"), "Pending") << "crash at write " << crash;
    EXPECT_EQ(int_at(job(), "status.backoffCount"), 0) << "crash at write " << crash;
    stop();
    for (const Resource& kind : {kPods, kServices, kPodGroups, kPyTorchTrainingJobs}) {
      for (const ObjectPtr& object : api_.all(kind)) api_.erase(kind, key_of(object->body()));
    }
  }
  start();
}

TEST_F(JobControllerTest, APodOfAnotherOwnerIsNotTheJobs) {
  submit();
  Json stranger = api_.all(kPods).front()->body();
  make_path(stranger, "metadata.name") = "stranger";
  make_path(stranger, "metadata.ownerReferences").as_array()[0].as_object()["uid"] = "other";
  api_.put(kPods, stranger);
  set_all_phases("Running");
  settle();
  EXPECT_EQ(int_at(job(), "status.aggregate.running"), 4);
}

const PyTorchJob kKubeflow;

/// Whose pods have a Service each.
class KubeflowControllerTest : public JobControllerTest {
 protected:
  KubeflowControllerTest() : JobControllerTest(kKubeflow) {}

  static Json job_of(int workers) {
    constexpr const char* kText = R"(
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist, namespace: demo}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, image: host}]}}}
)";
    Json job = *parse_json_or_yaml(kText);
    make_path(job, "spec.pytorchReplicaSpecs.Worker.replicas") = workers;
    return job;
  }
};

TEST_F(KubeflowControllerTest, AServiceThatWasMadeAnewUnderTheNameIsNotRemoved) {
  api_.put(kKubeflow.resource(), job_of(2));
  settle();
  const Key name{"demo", "mnist-worker-1"};
  ASSERT_NE(api_.find(kServices, name), nullptr);
  // Somebody is faster by the length of a request.
  bool is_replaced = false;
  api_.before_call = [&](const client::FakeApi::Call& call) -> Result<> {
    if (call.verb != "remove" || call.resource != kServices || is_replaced) return Ok();
    is_replaced = true;
    api_.erase(kServices, name);
    api_.put(kServices,
             Json{{"metadata", {{"name", name.name}, {"namespace", name.ns}, {"uid", "other"}}}});
    return Ok();
  };
  Json smaller = job_of(1);
  ASSERT_TRUE(api_.user_patches(kKubeflow.resource(), kKey, std::move(smaller)));
  settle();
  EXPECT_TRUE(is_replaced);
  ASSERT_NE(api_.find(kServices, name), nullptr);
  EXPECT_EQ(uid_of(api_.find(kServices, name)->body()), "other");
}

}  // namespace
}  // namespace trainyard::jobs
