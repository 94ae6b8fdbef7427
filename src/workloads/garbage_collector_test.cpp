#include "workloads/garbage_collector.h"

#include "workloads/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

const Resource kJobs{"batch.example.com", "v1", "jobs"};
const Resource kRunners{"example.com", "v1", "runners"};

class GarbageCollectorTest : public testing::Test {
 protected:
  GarbageCollectorTest()
      : kinds_(world_.loop.executor(), world_.api, world_.clock,
               {{kPods, "Pod", true},
                {kJobs, "Job", true},
                {kNodes, "Node", false},
                {kCustomResourceDefinitions, "CustomResourceDefinition", false}}),
        collector_(world_.loop.executor(), world_.api, world_.clock, kinds_) {}
  ~GarbageCollectorTest() override {
    world_.loop.run(kinds_.stop());
    world_.loop.run(collector_.stop());
  }
  void start() {
    collector_.start();
    kinds_.start();
    world_.pass(1s);
  }
  ObjectPtr put(const Resource& resource, const std::string& kind, const std::string& name,
                const std::vector<ObjectPtr>& owners = {}, const std::string& ns = "ns") {
    Json object = make_object(resource.api_version(), kind, ns, name);
    JsonArray references;
    for (const ObjectPtr& owner : owners) references.push_back(owner_reference(owner->body()));
    if (!owners.empty()) make_path(object, "metadata.ownerReferences") = std::move(references);
    return world_.api.put(resource, std::move(object));
  }
  ObjectPtr job(const std::string& name, const std::vector<ObjectPtr>& owners = {}) {
    return put(kJobs, "Job", name, owners);
  }
  ObjectPtr pod(const std::string& name, const std::vector<ObjectPtr>& owners = {}) {
    return put(kPods, "Pod", name, owners);
  }
  void remove(const Resource& resource, const std::string& name, const std::string& propagation) {
    client::DeleteOptions options;
    options.propagation = propagation;
    EXPECT_TRUE(world_.api.user_removes(resource, Key{"ns", name}, options));
    world_.pass(1s);
  }
  bool exists(const Resource& resource, const std::string& name) {
    return world_.api.find(resource, Key{"ns", name}) != nullptr;
  }

  TestWorld world_;
  ServedKinds kinds_;
  GarbageCollector collector_;
};

TEST_F(GarbageCollectorTest, RemovesDependentsAndTheirDependentsInTheBackground) {
  const ObjectPtr outer = job("outer");
  const ObjectPtr inner = job("inner", {outer});
  pod("p", {inner});
  start();
  remove(kJobs, "outer", "Background");
  EXPECT_FALSE(exists(kJobs, "inner"));
  EXPECT_FALSE(exists(kPods, "p"));
}

TEST_F(GarbageCollectorTest, FindsWhatWasLeftOverFromBeforeItStarted) {
  const ObjectPtr gone = job("gone");
  pod("p", {gone});
  world_.api.erase(kJobs, Key{"ns", "gone"});
  start();
  EXPECT_FALSE(exists(kPods, "p"));
}

TEST_F(GarbageCollectorTest, KeepsTheOwnerUntilItsBlockingDependentsAreGone) {
  const ObjectPtr owner = job("j");
  Json running = pod("p", {owner})->body();
  make_path(running, "spec.nodeName") = "node-1";  // it takes its time to end
  world_.api.put(kPods, running);
  start();
  remove(kJobs, "j", "Foreground");
  EXPECT_TRUE(exists(kJobs, "j"));
  EXPECT_TRUE(is_being_deleted(world_.api.find(kPods, Key{"ns", "p"})->body()));
  world_.api.erase(kPods, Key{"ns", "p"});
  world_.pass(1s);
  EXPECT_FALSE(exists(kJobs, "j"));
}

TEST_F(GarbageCollectorTest, DoesNotWaitForADependentThatDoesNotBlock) {
  const ObjectPtr owner = job("j");
  Json running = pod("p", {owner})->body();
  make_path(running, "spec.nodeName") = "node-1";
  running.at("metadata").at("ownerReferences").at(0).as_object().erase("blockOwnerDeletion");
  world_.api.put(kPods, running);
  start();
  remove(kJobs, "j", "Foreground");
  EXPECT_FALSE(exists(kJobs, "j"));
}

TEST_F(GarbageCollectorTest, LeavesTheDependentsOfAnOrphanedDeletionBehind) {
  const ObjectPtr owner = job("j");
  const ObjectPtr other = job("k");
  pod("p", {owner});
  pod("q", {owner, other});
  start();
  remove(kJobs, "j", "Orphan");
  EXPECT_FALSE(exists(kJobs, "j"));
  ASSERT_TRUE(exists(kPods, "p"));
  EXPECT_TRUE(read_owners(world_.api.find(kPods, Key{"ns", "p"})->body()).empty());
  EXPECT_EQ(read_owners(world_.api.find(kPods, Key{"ns", "q"})->body()).size(), 1U);
}

TEST_F(GarbageCollectorTest, EndsACircleOfObjectsThatWaitForEachOther) {
  Json first = job("a")->body();
  const ObjectPtr second = job("b", {world_.api.find(kJobs, Key{"ns", "a"})});
  make_path(first, "metadata.ownerReferences") = JsonArray{owner_reference(second->body())};
  world_.api.put(kJobs, first);
  start();
  remove(kJobs, "a", "Foreground");
  world_.settle();
  EXPECT_FALSE(exists(kJobs, "a"));
  EXPECT_FALSE(exists(kJobs, "b"));
}

TEST_F(GarbageCollectorTest, TakesAnOwnerInAnotherNamespaceForAbsentAndSaysSo) {
  const ObjectPtr owner = put(kJobs, "Job", "j", {}, "elsewhere");
  start();
  pod("p", {owner});
  world_.pass(1s);
  EXPECT_FALSE(exists(kPods, "p"));
  ASSERT_EQ(world_.api.all(kEvents).size(), 1U);
  EXPECT_EQ(string_at(world_.api.all(kEvents)[0]->body(), "reason"), "OwnerRefInvalidNamespace");
}

TEST_F(GarbageCollectorTest, KeepsAClusterWideObjectWhoseOwnerIsInANamespace) {
  const ObjectPtr owner = job("j");
  start();
  put(kNodes, "Node", "n", {owner}, "");
  remove(kJobs, "j", "Background");
  EXPECT_NE(world_.api.find(kNodes, Key{"", "n"}), nullptr);
}

TEST_F(GarbageCollectorTest, FollowsKindsThatComeAndGo) {
  start();
  const ObjectPtr runner = put(kRunners, "Runner", "r");
  pod("p", {runner});
  world_.api.erase(kRunners, Key{"ns", "r"});
  world_.pass(1s);
  EXPECT_TRUE(exists(kPods, "p"));  // nobody knows what a Runner is
  Json definition =
      make_object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "runners.example.com");
  make_path(definition, "spec") = {
      {"group", "example.com"},
      {"scope", "Namespaced"},
      {"names", {{"kind", "Runner"}, {"plural", "runners"}}},
      {"versions", JsonArray{{{"name", "v1alpha1"}, {"served", true}, {"storage", false}},
                             {{"name", "v1"}, {"served", true}, {"storage", true}}}}};
  world_.api.put(kCustomResourceDefinitions, definition);
  world_.pass(1s);
  EXPECT_TRUE(exists(kPods, "p"));  // it is not served yet
  make_path(definition, "status.conditions") =
      JsonArray{{{"type", "Established"}, {"status", "True"}}};
  world_.api.put(kCustomResourceDefinitions, definition);
  world_.pass(1s);
  EXPECT_FALSE(exists(kPods, "p"));

  const ObjectPtr second = put(kRunners, "Runner", "s");
  pod("q", {second});
  world_.pass(1s);
  world_.api.erase(kCustomResourceDefinitions, Key{"", "runners.example.com"});
  world_.api.stop_serving(kRunners);
  world_.pass(1s);
  world_.api.erase(kRunners, Key{"ns", "s"});
  world_.settle(90s);
  EXPECT_TRUE(exists(kPods, "q"));
}

TEST_F(GarbageCollectorTest, DoesWorkInProportionToWhatIsDeleted) {
  constexpr int kOwners = 300;
  constexpr int kEach = 10;
  for (int i = 0; i < kOwners; ++i) {
    const ObjectPtr owner = job(fmt::format("j{}", i));
    for (int k = 0; k < kEach; ++k) pod(fmt::format("p{}-{}", i, k), {owner});
  }
  start();
  const std::size_t gets = world_.api.calls("get");
  const std::size_t lists = world_.api.calls("list");
  for (int i = 0; i < kOwners; ++i) {
    EXPECT_TRUE(world_.api.user_removes(kJobs, Key{"ns", fmt::format("j{}", i)}));
  }
  world_.pass(5s);
  EXPECT_TRUE(world_.api.all(kPods).empty());
  EXPECT_EQ(world_.api.calls("remove"), 1U * kOwners * kEach);
  EXPECT_LE(world_.api.calls("get") - gets, 2U * kOwners * kEach);
  EXPECT_EQ(world_.api.calls("list"), lists);
}

}  // namespace
}  // namespace trainyard::workloads
