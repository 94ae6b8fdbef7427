#include "workloads/owner_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::workloads {
namespace {

using Uids = OwnerGraph::Uids;

ObjectPtr object(const std::string& uid, const std::vector<std::string>& owners = {},
                 const std::string& finalizer = "") {
  Json body{{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"namespace", "ns"}, {"name", "name-" + uid}, {"uid", uid}}}};
  JsonArray references;
  for (const std::string& owner : owners) {
    references.push_back({{"apiVersion", "v1"},
                          {"kind", "Pod"},
                          {"name", "name-" + owner},
                          {"uid", owner},
                          {"blockOwnerDeletion", true}});
  }
  if (!references.empty()) make_path(body, "metadata.ownerReferences") = std::move(references);
  if (!finalizer.empty()) {
    make_path(body, "metadata.finalizers") = JsonArray{Json(finalizer)};
    make_path(body, "metadata.deletionTimestamp") = "2026-03-01T10:00:00Z";
  }
  return std::make_shared<const StoredObject>(std::move(body), 1);
}

Uids sorted(Uids uids) {
  std::sort(uids.begin(), uids.end());
  return uids;
}

TEST(OwnerGraph, AsksToLookAtWhoHasOwnersOnceAndNotAtEveryChange) {
  OwnerGraph graph;
  EXPECT_EQ(graph.observe(kPods, object("a")), Uids{});
  EXPECT_EQ(graph.observe(kPods, object("b", {"a"})), Uids{"b"});
  EXPECT_EQ(graph.observe(kPods, object("b", {"a"})), Uids{});
  EXPECT_EQ(graph.observe(kPods, object("b", {"a", "c"})), Uids{"b"});
  EXPECT_EQ(graph.observe(kPods, object("b")), Uids{});
}

TEST(OwnerGraph, AsksToLookAtTheDependentsOfWhatWent) {
  OwnerGraph graph;
  graph.observe(kPods, object("a"));
  graph.observe(kPods, object("b", {"a"}));
  graph.observe(kPods, object("c", {"a"}));
  EXPECT_EQ(sorted(graph.forget("a")), (Uids{"b", "c"}));
  ASSERT_NE(graph.find("a"), nullptr);
  EXPECT_TRUE(graph.find("a")->gone);
  graph.forget("b");
  graph.forget("c");
  EXPECT_EQ(graph.size(), 0U);  // nobody speaks of it any more
}

TEST(OwnerGraph, AsksToLookAtAnOwnerThatWaitsWhenADependentGoesOrLeavesIt) {
  OwnerGraph graph;
  graph.observe(kPods, object("a"));
  graph.observe(kPods, object("b", {"a"}));
  graph.observe(kPods, object("c", {"a"}));
  EXPECT_EQ(sorted(graph.observe(kPods, object("a", {}, "foregroundDeletion"))),
            (Uids{"a", "b", "c"}));
  EXPECT_TRUE(graph.is_blocked("a"));
  EXPECT_EQ(graph.forget("b"), Uids{"a"});
  EXPECT_EQ(graph.observe(kPods, object("c")), Uids{"a"});
  EXPECT_FALSE(graph.is_blocked("a"));
}

TEST(OwnerGraph, AsksToLookAtWhatShallLeaveItsDependentsBehind) {
  OwnerGraph graph;
  graph.observe(kPods, object("a"));
  EXPECT_EQ(graph.observe(kPods, object("a", {}, "orphan")), Uids{"a"});
}

TEST(OwnerGraph, KnowsWhoseOwnersWereNeverSeen) {
  OwnerGraph graph;
  graph.observe(kPods, object("b", {"a"}));
  EXPECT_EQ(graph.dependents_of_unseen(), Uids{"b"});
  graph.observe(kPods, object("a"));
  EXPECT_EQ(graph.dependents_of_unseen(), Uids{});
  graph.forget("a");
  EXPECT_EQ(graph.dependents_of_unseen(), Uids{});
}

TEST(OwnerGraph, ConcludesNothingFromAKindThatIsNotServedAnyMore) {
  OwnerGraph graph;
  graph.observe(kServices, object("a"));
  graph.observe(kPods, object("b", {"a"}));
  graph.drop(kServices);
  ASSERT_NE(graph.find("a"), nullptr);
  EXPECT_FALSE(graph.find("a")->gone);
  EXPECT_EQ(graph.find("a")->object, nullptr);
}

TEST(OwnerGraph, DoesNotLetAReferenceFromAnotherNamespaceBlock) {
  OwnerGraph graph;
  graph.observe(kPods, object("a", {}, "foregroundDeletion"));
  Json stranger = object("b", {"a"})->body();
  make_path(stranger, "metadata.namespace") = "other";
  graph.observe(kPods, std::make_shared<const StoredObject>(std::move(stranger), 1));
  EXPECT_FALSE(graph.is_blocked("a"));
}

TEST(OwnerGraph, LetsNobodyWaitForWhoWaitsForIt) {
  OwnerGraph graph;
  graph.observe(kPods, object("a", {"b"}, "foregroundDeletion"));
  graph.observe(kPods, object("b", {"c"}, "foregroundDeletion"));
  EXPECT_FALSE(graph.is_blocked("a"));
  EXPECT_TRUE(graph.is_blocked("b"));
  graph.observe(kPods, object("c", {"a"}, "foregroundDeletion"));  // a → b → c → a
  EXPECT_FALSE(graph.is_blocked("a"));
  EXPECT_FALSE(graph.is_blocked("b"));
}

TEST(OwnerGraph, SurvivesAnObjectThatOwnsItself) {
  OwnerGraph graph;
  graph.observe(kPods, object("a", {"a"}));
  graph.forget("a");
  EXPECT_EQ(graph.size(), 0U);
}

}  // namespace
}  // namespace trainyard::workloads
