#include "workloads/apps/apps.h"
#include "workloads/apps/revision.h"
#include "workloads/apps/test_cluster.h"

#include <gtest/gtest.h>

#include <map>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

Json with_image(const std::string& image) {
  return {
      {"template", {{"spec", {{"containers", JsonArray{{{"name", "main"}, {"image", image}}}}}}}}};
}

class DeploymentTest : public testing::Test {
 protected:
  std::string progress(const std::string& field) {
    return condition_field(cluster_.deployment(), "Progressing", field);
  }
  std::map<std::int64_t, std::int64_t> sets_by_revision() {
    std::map<std::int64_t, std::int64_t> sizes;
    for (const ObjectPtr& set : cluster_.sets()) {
      sizes[revision_of(set->body())] = int_at(set->body(), "spec.replicas");
    }
    return sizes;
  }
  TestCluster cluster_;
};

using Revisions = std::map<std::int64_t, std::int64_t>;

TEST_F(DeploymentTest, RunsItsPodsAndSaysSo) {
  cluster_.deploy(3, "v1");
  cluster_.run(3s);
  const Json deployment = cluster_.deployment();
  EXPECT_EQ(cluster_.count_ready(), 3);
  EXPECT_EQ(int_at(deployment, "status.replicas"), 3);
  EXPECT_EQ(int_at(deployment, "status.updatedReplicas"), 3);
  EXPECT_EQ(int_at(deployment, "status.readyReplicas"), 3);
  EXPECT_EQ(int_at(deployment, "status.availableReplicas"), 3);
  EXPECT_EQ(find(deployment, "status.unavailableReplicas"), nullptr);
  EXPECT_EQ(int_at(deployment, "status.observedGeneration"), 1);
  EXPECT_EQ(progress("reason"), "NewReplicaSetAvailable");
  EXPECT_EQ(condition_field(deployment, "Available", "reason"), "MinimumReplicasAvailable");
  EXPECT_EQ(revision_of(deployment), 1);
  const Json set = cluster_.sets().at(0)->body();
  EXPECT_EQ(name_of(set), "web-" + std::string(label_of(set, kTemplateHashLabel)));
  EXPECT_EQ(string_at(set, "spec.selector.matchLabels.pod-template-hash"),
            label_of(set, kTemplateHashLabel));
  EXPECT_TRUE(cluster_.has_event("ScalingReplicaSet", "Scaled up replica set web-"));
  EXPECT_TRUE(cluster_.has_event("SuccessfulCreate", "Created pod: web-"));
}

TEST_F(DeploymentTest, MovesToANewTemplateAndKeepsTheOldSet) {
  cluster_.deploy(4, "v1");
  cluster_.run(3s);
  cluster_.change(with_image("v2"));
  cluster_.run(5s);
  EXPECT_EQ(cluster_.count_image("v2"), 4);
  EXPECT_EQ(cluster_.active_pods().size(), 4U);
  EXPECT_EQ(sets_by_revision(), (Revisions{{1, 0}, {2, 4}}));
  EXPECT_EQ(revision_of(cluster_.deployment()), 2);
  EXPECT_TRUE(cluster_.has_event("ScalingReplicaSet", "Scaled down replica set web-"));
}

TEST_F(DeploymentTest, GoesBackToAnEarlierTemplateWithoutANewSet) {
  cluster_.deploy(2, "v1");
  cluster_.run(3s);
  cluster_.change(with_image("v2"));
  cluster_.run(5s);
  cluster_.change(with_image("v1"));
  cluster_.run(5s);
  EXPECT_EQ(cluster_.count_image("v1"), 2);
  EXPECT_EQ(sets_by_revision(), (Revisions{{2, 0}, {3, 2}}));
  for (const ObjectPtr& set : cluster_.sets()) {
    if (revision_of(set->body()) == 3) {
      EXPECT_EQ(annotation_of(set->body(), kRevisionHistory), "1");
    }
  }
  EXPECT_EQ(revision_of(cluster_.deployment()), 3);
}

TEST_F(DeploymentTest, StopsAtPodsThatNeverBecomeReadyAndSaysSoAfterTheDeadline) {
  cluster_.deploy(4, "v1", {{"progressDeadlineSeconds", 20}});
  cluster_.run(3s);
  cluster_.change(with_image("bad"));
  cluster_.run(10s);
  EXPECT_GE(cluster_.count_ready(), 3);
  EXPECT_EQ(progress("status"), "True");
  cluster_.run(20s);
  EXPECT_EQ(progress("status"), "False");
  EXPECT_EQ(progress("reason"), "ProgressDeadlineExceeded");
  cluster_.change(with_image("v1"));
  cluster_.run(5s);
  EXPECT_EQ(cluster_.count_ready(), 4);
  EXPECT_EQ(progress("reason"), "NewReplicaSetAvailable");
}

TEST_F(DeploymentTest, EndsAllOldPodsBeforeItMakesNewOnesWhenRecreating) {
  cluster_.deploy(3, "v1", {{"strategy", {{"type", "Recreate"}}}});
  cluster_.run(3s);
  bool may_end = false;
  cluster_.has_ended = [&] { return may_end; };
  cluster_.change(with_image("v2"));
  cluster_.run(3s);
  EXPECT_EQ(cluster_.count_image("v2"), 0);
  EXPECT_EQ(cluster_.world.api.all(kPods).size(), 3U);
  may_end = true;
  cluster_.run(3s);
  EXPECT_EQ(cluster_.count_image("v2"), 3);
}

TEST_F(DeploymentTest, ScalesUpAndDown) {
  cluster_.deploy(2, "v1");
  cluster_.run(3s);
  cluster_.change({{"replicas", 5}});
  cluster_.run(3s);
  EXPECT_EQ(cluster_.count_ready(), 5);
  cluster_.change({{"replicas", 0}});
  cluster_.run(3s);
  EXPECT_EQ(cluster_.active_pods().size(), 0U);
  EXPECT_EQ(find(cluster_.deployment(), "status.replicas"), nullptr);
  cluster_.change({{"replicas", 1}});
  cluster_.run(3s);
  EXPECT_EQ(cluster_.count_ready(), 1);
  EXPECT_EQ(cluster_.sets().size(), 1U);
}

TEST_F(DeploymentTest, ScalesBothSetsWhenScaledInTheMiddleOfARollout) {
  cluster_.deploy(10, "v1");
  cluster_.run(5s);
  cluster_.change(with_image("bad"));
  cluster_.run(5s);
  cluster_.change({{"replicas", 20}});
  cluster_.run(5s);
  EXPECT_EQ(cluster_.active_pods().size(), 25U);  // 20 and a quarter
  EXPECT_GT(cluster_.count_image("bad"), 5);
  EXPECT_GE(cluster_.count_ready(), 15 - 2);
}

TEST_F(DeploymentTest, RollsNothingOutWhilePausedButScales) {
  cluster_.deploy(2, "v1");
  cluster_.run(3s);
  cluster_.change({{"paused", true}});
  cluster_.run(1s);
  EXPECT_EQ(progress("reason"), "DeploymentPaused");
  cluster_.change(with_image("v2"));
  cluster_.change({{"replicas", 3}});
  cluster_.run(3s);
  EXPECT_EQ(cluster_.count_image("v1"), 3);
  EXPECT_EQ(cluster_.sets().size(), 1U);
  cluster_.change({{"paused", false}});
  cluster_.run(5s);
  EXPECT_EQ(cluster_.count_image("v2"), 3);
  EXPECT_EQ(progress("reason"), "NewReplicaSetAvailable");
}

TEST_F(DeploymentTest, KeepsOnlySoManyOldSets) {
  cluster_.deploy(1, "v0", {{"revisionHistoryLimit", 2}});
  cluster_.run(3s);
  for (int i = 1; i <= 5; ++i) {
    cluster_.change(with_image("v" + std::to_string(i)));
    cluster_.run(5s);
  }
  EXPECT_EQ(sets_by_revision(), (Revisions{{4, 0}, {5, 0}, {6, 1}}));
}

TEST_F(DeploymentTest, CountsPodsAvailableOnlyWhenTheyWereReadyForAWhile) {
  cluster_.deploy(2, "v1", {{"minReadySeconds", 10}});
  cluster_.run(5s);
  EXPECT_EQ(int_at(cluster_.deployment(), "status.readyReplicas"), 2);
  EXPECT_EQ(int_at(cluster_.deployment(), "status.availableReplicas"), 0);
  EXPECT_EQ(int_at(cluster_.deployment(), "status.unavailableReplicas"), 2);
  cluster_.run(8s);
  EXPECT_EQ(int_at(cluster_.deployment(), "status.availableReplicas"), 2);
}

TEST_F(DeploymentTest, GivesItsAnnotationsToItsSets) {
  cluster_.deploy(1, "v1");
  Json annotated = cluster_.deployment();
  make_path(annotated, "metadata.annotations") = {
      {"kubernetes.io/change-cause", "first try"},
      {"kubectl.kubernetes.io/last-applied-configuration", "{}"}};
  cluster_.world.api.put(kDeployments, std::move(annotated));
  cluster_.run(3s);
  const Json set = cluster_.sets().at(0)->body();
  EXPECT_EQ(annotation_of(set, "kubernetes.io/change-cause"), "first try");
  EXPECT_EQ(annotation_of(set, "kubectl.kubernetes.io/last-applied-configuration"), "");
  EXPECT_EQ(annotation_of(set, kDesiredReplicas), "1");
  EXPECT_EQ(annotation_of(set, kMaxReplicas), "2");
}

TEST_F(DeploymentTest, TakesAnotherNameWhenTheSetsNameIsTaken) {
  cluster_.deploy(1, "v1");
  Json stranger = make_replica_set(cluster_.deployment(), 0, 0, 1);
  stranger.at("metadata").as_object().erase("ownerReferences");
  stranger.at("metadata").as_object()["labels"] = JsonObject{{"app", "other"}};
  cluster_.world.api.put(kReplicaSets, std::move(stranger));
  cluster_.run(3s);
  EXPECT_EQ(cluster_.count_ready(), 1);
  EXPECT_EQ(cluster_.sets().size(), 2U);
  EXPECT_EQ(int_at(cluster_.deployment(), "status.collisionCount"), 1);
}

TEST_F(DeploymentTest, SaysWhyASetCannotMakePods) {
  cluster_.world.api.before_call = [](const client::FakeApi::Call& call) -> Result<> {
    if (call.verb != "create" || call.resource != kPods) return Ok();
    return Error(Code::kForbidden, "exceeded quota: team");
  };
  cluster_.deploy(2, "v1");
  cluster_.run(3s);
  EXPECT_EQ(condition_field(cluster_.deployment(), "ReplicaFailure", "reason"), "FailedCreate");
  EXPECT_TRUE(cluster_.has_event("FailedCreate", "exceeded quota: team"));
  cluster_.world.api.before_call = nullptr;
  cluster_.run(60s);
  EXPECT_EQ(cluster_.count_ready(), 2);
  EXPECT_EQ(condition_field(cluster_.deployment(), "ReplicaFailure", "reason"), "");
}

TEST_F(DeploymentTest, AdoptsAPodThatMatchesAndReleasesOneThatNoLongerDoes) {
  cluster_.deploy(2, "v1");
  cluster_.run(3s);
  const Key set = key_of(cluster_.sets().at(0)->body());
  const ObjectPtr pod = cluster_.active_pods().at(0);
  const Json labels = *find(pod->body(), "metadata.labels");
  EXPECT_TRUE(cluster_.world.api.user_patches(kPods, key_of(pod->body()),
                                              {{"metadata", {{"labels", {{"app", "mine"}}}}}}));
  cluster_.run(2s);
  EXPECT_EQ(cluster_.active_pods().size(), 3U);
  const ObjectPtr released = cluster_.world.api.find(kPods, key_of(pod->body()));
  ASSERT_NE(released, nullptr);
  EXPECT_EQ(controller_of(released->body()), nullptr);

  EXPECT_TRUE(cluster_.world.api.user_patches(kPods, key_of(pod->body()),
                                              {{"metadata", {{"labels", labels}}}}));
  cluster_.run(2s);
  EXPECT_EQ(cluster_.active_pods().size(), 2U);  // one is too many now
}

TEST_F(DeploymentTest, GoesWithItsSetsAndPods) {
  cluster_.deploy(3, "v1");
  cluster_.run(3s);
  EXPECT_TRUE(cluster_.world.api.user_removes(kDeployments, Key{"ns", "web"}));
  cluster_.run(3s);
  EXPECT_TRUE(cluster_.sets().empty());
  EXPECT_TRUE(cluster_.world.api.all(kPods).empty());
}

}  // namespace
}  // namespace trainyard::workloads
