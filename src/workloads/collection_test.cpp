#include "workloads/collection.h"

#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

constexpr OwnerState kSolid = OwnerState::kSolid;
constexpr OwnerState kWaiting = OwnerState::kWaiting;
constexpr OwnerState kDangling = OwnerState::kDangling;

Json owned(std::size_t owners) {
  JsonArray references;
  for (std::size_t i = 0; i < owners; ++i) {
    references.push_back({{"uid", std::to_string(i)}, {"blockOwnerDeletion", true}});
  }
  return {{"metadata", {{"name", "x"}, {"ownerReferences", std::move(references)}}}};
}

CollectionStep decide(const std::vector<OwnerState>& owners, bool dependents = false,
                      bool circle = false) {
  const Json object = owned(owners.size());
  return decide_collection(CollectionView{object, owners, dependents, circle, false});
}

TEST(DecideCollection, LeavesAloneWhatNeverHadAnOwnerOrHasAllItsOwners) {
  EXPECT_TRUE(decide({}).remove.empty());
  const CollectionStep step = decide({kSolid, kSolid});
  EXPECT_TRUE(step.remove.empty());
  EXPECT_FALSE(step.owners);
}

TEST(DecideCollection, RemovesWhatHasNoOwnerLeft) {
  EXPECT_EQ(decide({kDangling, kDangling}).remove, "Background");
}

TEST(DecideCollection, ForgetsOwnersThatGoWhileAnotherStays) {
  const CollectionStep step = decide({kDangling, kSolid, kWaiting});
  EXPECT_TRUE(step.remove.empty());
  ASSERT_TRUE(step.owners);
  ASSERT_EQ(step.owners->size(), 1U);
  EXPECT_EQ(string_at((*step.owners)[0], "uid"), "1");
}

TEST(DecideCollection, RemovesInTheForegroundWhatAnOwnerWaitsForAndOthersBelongTo) {
  EXPECT_EQ(decide({kWaiting}, true).remove, "Foreground");
  EXPECT_EQ(decide({kWaiting}, false).remove, "Background");
}

TEST(DecideCollection, StopsBlockingWhenItsOwnDependentWaitsForIt) {
  const CollectionStep step = decide({kWaiting}, true, true);
  EXPECT_EQ(step.remove, "Foreground");
  ASSERT_TRUE(step.owners);
  EXPECT_FALSE(bool_at((*step.owners)[0], "blockOwnerDeletion", true));
}

TEST(DecideCollection, ObeysTheFinalizersOfTheObjectItself) {
  Json object = owned(1);
  make_path(object, "metadata.finalizers") = JsonArray{"orphan"};
  EXPECT_EQ(decide_collection(CollectionView{object, {kDangling}, false, false, false}).remove,
            "Orphan");
  make_path(object, "metadata.finalizers") = JsonArray{"foregroundDeletion"};
  EXPECT_EQ(decide_collection(CollectionView{object, {kDangling}, false, false, false}).remove,
            "Foreground");
}

TEST(DecideCollection, LetsGoWhatNobodyBlocksAnyMore) {
  Json object = owned(0);
  make_path(object, "metadata.deletionTimestamp") = "2026-03-01T10:00:00Z";
  make_path(object, "metadata.finalizers") = JsonArray{"foregroundDeletion"};
  EXPECT_FALSE(decide_collection(CollectionView{object, {}, true, false, true}).let_go);
  EXPECT_TRUE(decide_collection(CollectionView{object, {}, true, false, false}).let_go);
}

TEST(DecideCollection, DoesNotTouchWhatIsGoingAnyway) {
  Json object = owned(1);
  make_path(object, "metadata.deletionTimestamp") = "2026-03-01T10:00:00Z";
  const CollectionStep step =
      decide_collection(CollectionView{object, {kDangling}, false, false, false});
  EXPECT_TRUE(step.remove.empty());
  EXPECT_FALSE(step.let_go);
}

}  // namespace
}  // namespace trainyard::workloads
