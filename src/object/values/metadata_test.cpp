#include "object/values/metadata.h"

#include "object/values/owners_text.h"

#include <gtest/gtest.h>

#include <thread>

namespace trainyard {
namespace {

Json read(std::string_view text) {
  return *parse_json(text);
}

TEST(Resource, WritesApiVersionWithoutAGroupForCoreKinds) {
  EXPECT_EQ(kPods.api_version(), "v1");
  EXPECT_EQ(kPodGroups.api_version(), "scheduling.volcano.sh/v1beta1");
}

TEST(Key, IsReadFromMetadataAndWrittenWithItsNamespace) {
  const Json pod = read("{\"metadata\":{\"name\":\"w0\",\"namespace\":\"team\",\"uid\":\"u\"}}");
  EXPECT_EQ(key_of(pod), (Key{"team", "w0"}));
  EXPECT_EQ(fmt::format("{}", key_of(pod)), "team/w0");
  EXPECT_EQ(fmt::format("{}", Key{"", "node-1"}), "node-1");
  EXPECT_EQ(uid_of(pod), "u");
  EXPECT_EQ(key_of(read("{}")), (Key{"", ""}));
  EXPECT_EQ(key_of(read("[1]")), (Key{"", ""}));
  EXPECT_EQ(key_of(read("{\"metadata\":{\"name\":5}}")), (Key{"", ""}));
}

TEST(Labels, AreFoundByNamesWithDotsAndEmptyWhenMissing) {
  const Json pod = read(
      "{\"metadata\":{\"labels\":{\"a.b/c\":\"x\",\"n\":1},\"annotations\":{\"a.b/c\":\"y\"}}}");
  EXPECT_EQ(label_of(pod, "a.b/c"), "x");
  EXPECT_EQ(label_of(pod, "n"), "");
  EXPECT_EQ(label_of(pod, "a"), "");
  EXPECT_EQ(annotation_of(pod, "a.b/c"), "y");
  EXPECT_EQ(annotation_of(read("{\"metadata\":{\"annotations\":[]}}"), "a"), "");
}

ObjectPtr stored(std::string_view text) {
  return StoredObject::from_text(std::string(text), 1);
}

TEST(Kept, GivesUpATreeThatNobodyElseCanBeLookingAt) {
  SharedOwners shared;
  ObjectPtr object = stored(R"({"a":1})");
  const Kept kept(object);
  const Kept also(object);
  EXPECT_EQ(int_at(object->body(), "a"), 1);
  EXPECT_FALSE(kept.rest(shared));
  EXPECT_TRUE(object->has_tree());
  object = nullptr;
  EXPECT_TRUE(kept.rest(shared));
  EXPECT_FALSE(kept->has_tree());
  EXPECT_EQ(int_at(also->body(), "a"), 1) << "it is read again";
}

TEST(Kept, RestsOnlyWhenItWasNotLookedAtSinceTheLastTime) {
  SharedOwners shared;
  const Kept kept(stored(R"({"a":1})"));
  (void)kept->body();
  kept.rest_if_idle(shared);
  EXPECT_TRUE(kept->has_tree());
  kept.rest_if_idle(shared);
  EXPECT_FALSE(kept->has_tree());
}

TEST(Kept, CountsItselfHoweverItIsCopiedAndMoved) {
  SharedOwners shared;
  Kept kept(stored("{}"));
  {
    Kept copy = kept;
    Kept moved = std::move(copy);
    Kept assigned;
    assigned = moved;
    assigned = Kept(stored("{}"));
    kept = std::move(moved);
  }
  (void)kept->body();
  EXPECT_TRUE(kept.rest(shared));
  const ObjectPtr outside = kept;
  (void)kept->body();
  EXPECT_FALSE(kept.rest(shared));
}

TEST(Kept, WritesTheTextOfATreeBeforeItGoes) {
  SharedOwners shared;
  const Kept kept(std::make_shared<const StoredObject>(read(R"({"a":[1]})"), 1));
  EXPECT_TRUE(kept.rest(shared));
  EXPECT_EQ(kept->text(), R"({"a":[1]})");
}

TEST(Kept, KeepsItsOwnersWhileItRests) {
  const std::string text = R"({"metadata":{"managedFields":[{"manager":"m"}],"name":"a"}})";
  SharedOwners shared;
  const Kept kept(stored(text));
  EXPECT_EQ(find(kept->body(), "metadata.managedFields"), nullptr) << "no reader looks at it";
  EXPECT_TRUE(kept.rest(shared));
  EXPECT_EQ(shared.size(), 1U);
  EXPECT_EQ(name_of(kept->body()), "a");
  EXPECT_EQ(to_text(kept->whole()), text);
  EXPECT_TRUE(kept.rest(shared));
  EXPECT_EQ(kept->text(), text);
  shared.forget_unused();
  EXPECT_EQ(shared.size(), 0U);
}

TEST(IsBeingDeleted, HoldsOnceADeletionTimestampIsSet) {
  EXPECT_TRUE(
      is_being_deleted(read("{\"metadata\":{\"deletionTimestamp\":\"2026-11-16T00:00:00Z\"}}")));
  EXPECT_FALSE(is_being_deleted(read("{\"metadata\":{\"deletionTimestamp\":null}}")));
  EXPECT_FALSE(is_being_deleted(read("{}")));
}

TEST(ControllerOf, PicksTheOwnerMarkedAsController) {
  const Json pod = read(
      "{\"metadata\":{\"ownerReferences\":[{\"name\":\"a\"},{\"name\":\"b\",\"controller\":false},"
      "{\"name\":\"c\",\"controller\":true}]}}");
  ASSERT_NE(controller_of(pod), nullptr);
  EXPECT_EQ(string_at(*controller_of(pod), "name"), "c");
  EXPECT_EQ(controller_of(read("{\"metadata\":{\"ownerReferences\":[{\"name\":\"a\"}]}}")),
            nullptr);
  EXPECT_EQ(controller_of(read("{\"metadata\":{\"ownerReferences\":\"x\"}}")), nullptr);
}

TEST(OwnerReference, MakesTheOwnerTheControllerOfItsChild) {
  const Json job = read(
      "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\",\"uid\":\"7\"}}");
  Json child = read("{\"metadata\":{}}");
  make_path(child, "metadata.ownerReferences") = JsonArray{owner_reference(job)};
  ASSERT_NE(controller_of(child), nullptr);
  EXPECT_EQ(*controller_of(child),
            read("{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"7\","
                 "\"controller\":true,\"blockOwnerDeletion\":true}"));
}

TEST(CheckLabelName, AcceptsDnsLabelsOnly) {
  for (const std::string& good : {std::string("a"), std::string("0"), std::string("a-b-9"),
                                  std::string("a--b"), std::string(63, 'x')}) {
    EXPECT_EQ(check_label_name(good), "") << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("-"), std::string("-a"), std::string("a-"), std::string("A"),
        std::string("a.b"), std::string("a_b"), std::string("a b"), std::string("é"),
        std::string("a\0b", 3), std::string("a\n"), std::string("a/b"), std::string(64, 'x')}) {
    EXPECT_NE(check_label_name(bad), "") << bad;
  }
}

TEST(CheckSubdomainName, AcceptsLabelsJoinedByDots) {
  for (const std::string& good :
       {std::string("a"), std::string("a.b"), std::string("a-b.c-d.0"), std::string("1.2.3"),
        std::string(253, 'x'), std::string(100, 'x') + ".y"}) {
    EXPECT_EQ(check_subdomain_name(good), "") << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("."), std::string("a."), std::string(".a"), std::string("a..b"),
        std::string("a-.b"), std::string("a.-b"), std::string("-a"), std::string("a-"),
        std::string("A.b"), std::string("a_b"), std::string("a/b"), std::string("%2e"),
        std::string("a\0", 2), std::string(254, 'x')}) {
    EXPECT_NE(check_subdomain_name(bad), "") << bad;
  }
}

TEST(StoredObject, KeepsBodyAndRevision) {
  const auto object = std::make_shared<const StoredObject>(read("{\"a\":1}"), 42);
  EXPECT_EQ(to_text(object->body()), "{\"a\":1}");
  EXPECT_EQ(object->revision(), 42);
}

TEST(StoredObject, HasBothFormsWhicheverItWasMadeOf) {
  const std::string text = R"({"metadata":{"name":"a"},"value":1.5})";
  const StoredObject from_tree(*parse_json(text), 7);
  EXPECT_EQ(from_tree.text(), text);
  EXPECT_EQ(name_of(from_tree.body()), "a");
  const ObjectPtr from_text = StoredObject::from_text(text, 8);
  EXPECT_EQ(from_text->revision(), 8);
  EXPECT_EQ(from_text->text(), text);
  EXPECT_EQ(from_text->body(), from_tree.body());
}

TEST(StoredObject, ItsTextStaysForWhoSharesItWhileTheObjectRests) {
  SharedOwners shared;
  const std::string text = R"({"metadata":{"name":"a","managedFields":[{"manager":"m"}]},"x":1})";
  const Kept kept(stored(text));
  const SharedText before = kept->shared_text();
  // On another thread, as the store's writer does.
  std::thread reader([&] { EXPECT_EQ(*before, text); });
  EXPECT_TRUE(kept.rest(shared)) << "who has only the text holds nothing up";
  EXPECT_EQ(kept->text(), text);
  reader.join();
  EXPECT_EQ(*before, text);
}

TEST(StoredObject, MakesEachFormOnce) {
  const ObjectPtr object = StoredObject::from_text(R"({"a":1})", 1);
  EXPECT_EQ(&object->body(), &object->body());
  const StoredObject other(Json{{"a", 1}}, 1);
  EXPECT_EQ(other.text().data(), other.text().data());
}

}  // namespace
}  // namespace trainyard
