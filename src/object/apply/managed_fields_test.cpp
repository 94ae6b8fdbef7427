#include "object/apply/managed_fields.h"

#include "object/apply/ownership_for_tests.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(TrackUpdate, GivesEverythingToWhoCreates) {
  const Json object =
      created(deployment(R"("spec":{"replicas":1,"containers":[{"name":"a","image":"x"}]})",
                         R"("namespace":"default","labels":{"app":"web"},"finalizers":["f"],
                    "resourceVersion":"1","generation":1,"uid":"x","selfLink":"/",
                    "creationTimestamp":"2026-11-16T00:00:00Z")"),
              at(0, "kubectl-create"));
  EXPECT_EQ(to_text(*find(object, "metadata.managedFields")),
            R"([{"manager":"kubectl-create","operation":"Update","apiVersion":"apps/v1",)"
            R"("time":"2026-11-16T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{)"
            R"("f:metadata":{"f:finalizers":{".":{},"v:\"f\"":{}},"f:labels":{".":{},"f:app":{}}},)"
            R"("f:spec":{".":{},"f:containers":{".":{},"k:{\"name\":\"a\"}":{".":{},"f:image":{},)"
            R"("f:name":{}}},"f:replicas":{}}}}])");
}

TEST(TrackUpdate, CallsWhoHasNoNameUnknownAndNotesTheSubresourceLast) {
  FieldManager nobody = at(0, "", "status");
  const Json object = created(deployment(R"("status":{"x":1})"), nobody);
  EXPECT_EQ(to_text(*find(object, "metadata.managedFields")),
            R"([{"manager":"unknown","operation":"Update","apiVersion":"apps/v1",)"
            R"("time":"2026-11-16T00:00:00Z","fieldsType":"FieldsV1",)"
            R"("fieldsV1":{"f:status":{".":{},"f:x":{}}},"subresource":"status"}])");
}

TEST(TrackUpdate, NotesNothingWhereThereIsNothingToOwn) {
  const Json object = created(deployment("", R"("namespace":"default")"), at(0, "a"));
  EXPECT_EQ(find(object, "metadata.managedFields"), nullptr);
}

TEST(TrackUpdate, MovesWhatChangedToWhoChangedIt) {
  const Json first = created(deployment(R"("spec":{"replicas":1,"paused":true})"), at(0, "a"));
  const Json second =
      updated(deployment(R"("spec":{"replicas":2,"paused":true})"), &first, at(1, "b"));
  EXPECT_EQ(owners_of(second),
            (Lines{"a Update 00:00: .spec .spec.paused", "b Update 00:01: .spec.replicas"}));
  const Json third =
      updated(deployment(R"("spec":{"replicas":3,"paused":true})"), &second, at(2, "a"));
  EXPECT_EQ(owners_of(third), (Lines{"a Update 00:02: .spec .spec.paused .spec.replicas"}));
}

TEST(TrackUpdate, KeepsTheTimeOfWhoChangesNothing) {
  const Json first = created(deployment(R"("spec":{"replicas":1})"), at(0, "a"));
  const Json second = updated(deployment(R"("spec":{"replicas":1})"), &first, at(1, "a"));
  EXPECT_EQ(to_text(*find(second, "metadata.managedFields")),
            to_text(*find(first, "metadata.managedFields")));
  // The server's own fields are nobody's change.
  const Json third =
      updated(deployment(R"("spec":{"replicas":1})", R"("resourceVersion":"9","generation":4)"),
              &first, at(1, "b"));
  EXPECT_EQ(owners_of(third), owners_of(first));
}

TEST(TrackUpdate, ForgetsFieldsThatAreGone) {
  const Json first = created(
      deployment(R"("spec":{"replicas":1,"containers":[{"name":"a","image":"x"},{"name":"b"}]})",
                 R"("labels":{"x":"1","y":"1"})"),
      at(0, "a"));
  const Json second =
      updated(deployment(R"("spec":{"containers":[{"name":"b"}]})", R"("labels":{"y":"1"})"),
              &first, at(1, "b"));
  EXPECT_EQ(owners_of(second),
            (Lines{R"(a Update 00:00: .spec .metadata.labels .metadata.labels.y .spec.containers )"
                   R"(.spec.containers[name="b"] .spec.containers[name="b"].name)"}));
  const Json third = updated(deployment(""), &second, at(2, "b"));
  EXPECT_EQ(find(third, "metadata.managedFields"), nullptr);
}

TEST(TrackUpdate, TellsSubresourcesAndVersionsApart) {
  const Json first = created(deployment(R"("spec":{"replicas":1})"), at(0, "a"));
  const Json second = updated(deployment(R"("spec":{"replicas":1},"status":{"x":1})"), &first,
                              at(1, "a", "status"));
  FieldManager beta = at(2, "a");
  beta.api_version = "apps/v1beta1";
  const Json third =
      updated(deployment(R"("spec":{"replicas":1,"paused":true},"status":{"x":1})"), &second, beta);
  EXPECT_EQ(owners_of(third),
            (Lines{"a Update 00:00: .spec .spec.replicas",
                   "a Update of status 00:01: .status .status.x", "a Update 00:02: .spec.paused"}));
}

TEST(TrackUpdate, SortsAppliersFirstThenByTimeAndName) {
  Json object = *apply_configuration(nullptr, deployment(R"("spec":{"replicas":1})"),
                                     deployment_schema(), at(5, "z"), false);
  make_path(object, "metadata.uid") = "u";
  object = updated(deployment(R"("spec":{"replicas":1,"paused":true})", R"("labels":{"c":"1"})"),
                   &object, at(3, "c"));
  object = updated(
      deployment(R"("spec":{"replicas":1,"paused":false})", R"("labels":{"c":"1","b":"1"})"),
      &object, at(3, "b"));
  EXPECT_EQ(owners_of(object), (Lines{"z Apply 00:05: .spec.replicas",
                                      "b Update 00:03: .metadata.labels.b .spec.paused",
                                      "c Update 00:03: .metadata.labels .metadata.labels.c"}));
}

TEST(TrackUpdate, TakesFromAppliersToo) {
  Json object = *apply_configuration(nullptr, deployment(R"("spec":{"replicas":1,"paused":true})"),
                                     deployment_schema(), at(0, "ci"), false);
  object = updated(deployment(R"("spec":{"replicas":5,"paused":true})"), &object, at(1, "hpa"));
  EXPECT_EQ(owners_of(object),
            (Lines{"ci Apply 00:00: .spec.paused", "hpa Update 00:01: .spec.replicas"}));
}

Json with_managed_fields(Json object, std::string_view fields) {
  make_path(object, "metadata.managedFields") = read(fields);
  return object;
}

TEST(TrackUpdate, IgnoresManagedFieldsThatAClientSendsBackOrCannotWrite) {
  const Json first = created(deployment(R"("spec":{"replicas":1})"), at(0, "a"));
  const Lines expected{"a Update 00:00: .spec .spec.replicas", "b Update 00:01: .spec.paused"};
  const Json change = deployment(R"("spec":{"replicas":1,"paused":true})");
  for (const std::string& sent :
       {to_text(*find(first, "metadata.managedFields")), std::string("null"),
        std::string(R"([{"manager":"x"}])"), std::string(R"("text")"),
        std::string(R"([{"manager":"x","operation":"Replace","apiVersion":"v1",
                         "fieldsType":"FieldsV1","fieldsV1":{}}])"),
        std::string(R"([{"manager":"x","operation":"Update","fieldsType":"FieldsV1"}])"),
        std::string(R"([{"manager":"x","operation":"Update","apiVersion":"v1",
                         "fieldsType":"FieldsV2","fieldsV1":{}}])"),
        std::string(R"([{"manager":"x","operation":"Update","apiVersion":"v1",
                         "fieldsType":"FieldsV1","fieldsV1":{"bad":{}}}])")}) {
    EXPECT_EQ(owners_of(updated(with_managed_fields(change, sent), &first, at(1, "b"))), expected)
        << sent;
  }
}

constexpr const char* kHandedOver = R"([{"manager":"ci","operation":"Apply","apiVersion":"apps/v1",
    "time":"2026-11-16T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}])";

TEST(TrackUpdate, RespectsManagedFieldsThatARequestWrites) {
  // As kubectl does when it moves from client-side to server-side apply.
  const Json first = created(deployment(R"("spec":{"replicas":1})"), at(0, "a"));
  const Json same = deployment(R"("spec":{"replicas":1})");
  EXPECT_EQ(owners_of(updated(with_managed_fields(same, kHandedOver), &first, at(1, "b"))),
            Lines{"ci Apply 00:00: .spec.replicas"});
  const Json other = deployment(R"("spec":{"replicas":2,"paused":true})");
  EXPECT_EQ(owners_of(updated(with_managed_fields(other, kHandedOver), &first, at(1, "b"))),
            Lines{"b Update 00:01: .spec.paused .spec.replicas"});
}

TEST(TrackUpdate, IgnoresManagedFieldsThatARequestToASubresourceWrites) {
  const Json first = created(deployment(R"("spec":{"replicas":1})"), at(0, "a"));
  const Json change = deployment(R"("spec":{"replicas":1},"status":{"x":1})");
  for (const char* sent : {kHandedOver, "[]", "[{}]"}) {
    EXPECT_EQ(owners_of(updated(with_managed_fields(change, sent), &first, at(1, "b", "status"))),
              (Lines{"a Update 00:00: .spec .spec.replicas",
                     "b Update of status 00:01: .status .status.x"}));
  }
}

TEST(TrackUpdate, ForgetsAllWhenAskedAndThenTracksNoLonger) {
  const Json first = created(deployment(R"("spec":{"replicas":1})"), at(0, "a"));
  for (const char* sent : {"[]", "[{}]", "[null]"}) {
    const Json second = updated(with_managed_fields(deployment(R"("spec":{"replicas":2})"), sent),
                                &first, at(1, "b"));
    EXPECT_EQ(find(second, "metadata.managedFields"), nullptr) << sent;
    const Json third = updated(deployment(R"("spec":{"replicas":3})"), &second, at(2, "b"));
    EXPECT_EQ(find(third, "metadata.managedFields"), nullptr) << sent;
  }
}

TEST(TrackUpdate, TracksACreationThatAsksToForget) {
  const Json object =
      created(with_managed_fields(deployment(R"("spec":{"replicas":1})"), "[{}]"), at(0, "a"));
  EXPECT_EQ(owners_of(object), Lines{"a Update 00:00: .spec .spec.replicas"});
}

TEST(TrackUpdate, MergesTheOldestUpdatersAboveTen) {
  Json object = created(deployment(R"("spec":{"replicas":0})"), at(0, "first"));
  std::string labels;
  for (int i = 1; i <= 12; ++i) {
    labels += fmt::format("{}\"l{:02}\":\"x\"", labels.empty() ? "" : ",", i);
    object = updated(deployment(R"("spec":{"replicas":0})", R"("labels":{)" + labels + "}"),
                     &object, at(i, fmt::format("m{:02}", i)));
  }
  const Lines owners = owners_of(object);
  ASSERT_EQ(owners.size(), 10U);
  EXPECT_EQ(owners[0],
            "ancient-changes Update 00:03: .spec .metadata.labels .metadata.labels.l01 "
            ".metadata.labels.l02 .metadata.labels.l03 .spec.replicas");
  EXPECT_EQ(owners[1], "m04 Update 00:04: .metadata.labels.l04");
  EXPECT_EQ(owners[9], "m12 Update 00:12: .metadata.labels.l12");
}

TEST(TrackUpdate, MergesTheOldestOfEachVersionByItself) {
  Json object = created(deployment(R"("spec":{"replicas":0})"), at(0, "first"));
  std::string labels;
  for (int i = 1; i <= 11; ++i) {
    labels += fmt::format("{}\"l{:02}\":\"x\"", labels.empty() ? "" : ",", i);
    FieldManager manager = at(i, fmt::format("m{:02}", i));
    if (i == 1) manager.api_version = "apps/v1beta1";
    object = updated(deployment(R"("spec":{"replicas":0})", R"("labels":{)" + labels + "}"),
                     &object, manager);
  }
  const Lines owners = owners_of(object);
  ASSERT_EQ(owners.size(), 10U);
  EXPECT_EQ(owners[0], "m01 Update 00:01: .metadata.labels .metadata.labels.l01");
  EXPECT_EQ(owners[1],
            "ancient-changes Update 00:03: .spec .metadata.labels.l02 .metadata.labels.l03 "
            ".spec.replicas");
}

TEST(TrackUpdate, FollowsAListThatHasBecomeOneField) {
  const Json first = created(deployment(R"("spec":{"replicas":1})"), at(0, "a"));
  const Json sent = with_managed_fields(
      deployment(R"("spec":{"replicas":2,"selector":{"a":"1"}})"),
      R"([{"manager":"a","operation":"Update","apiVersion":"apps/v1","fieldsType":"FieldsV1",
           "fieldsV1":{"f:spec":{"f:selector":{"f:a":{}}}}}])");
  Json before = deployment(R"("spec":{"replicas":1,"selector":{"a":"1"}})", R"("uid":"u")");
  EXPECT_EQ(owners_of(updated(sent, &before, at(1, "b"))),
            (Lines{"a Update: .spec.selector", "b Update 00:01: .spec.replicas"}));
}

TEST(KeepTimes, TakesOldTimesBackWhenNothingElseChanged) {
  const Json before = created(deployment(R"("spec":{"replicas":1})"), at(0, "a"));
  Json same = before;
  make_path(same.at("metadata").at("managedFields").at(0), "time") = "2026-11-16T05:00:00Z";
  Json other = same;
  make_path(other, "spec.replicas") = 2;
  const Json unlike = other;
  keep_times_when_unchanged(same, before);
  keep_times_when_unchanged(other, before);
  EXPECT_EQ(same, before);
  EXPECT_EQ(other, unlike);
}

TEST(KeepTimes, LooksAtOwnersAndNotAtTheirOrder) {
  Json before = created(deployment(R"("spec":{"replicas":1})"), at(0, "a"));
  before = updated(deployment(R"("spec":{"replicas":1,"paused":true})"), &before, at(1, "b"));
  Json after = before;
  JsonArray& entries = find(after, "metadata.managedFields")->get_array();
  std::swap(entries[0], entries[1]);
  make_path(entries[1], "time") = "2026-11-16T05:00:00Z";
  keep_times_when_unchanged(after, before);
  EXPECT_EQ(after, before);
}

// Looking for each owner among all others would take minutes.
TEST(TrackUpdate, CopesWithThousandsOfOwners) {
  JsonArray entries;
  for (int i = 0; i < 6'000; ++i) {
    entries.push_back({{"manager", std::to_string(i % 4'000)},
                       {"operation", "Apply"},
                       {"apiVersion", "apps/v1"},
                       {"fieldsType", "FieldsV1"},
                       {"fieldsV1", {{"f:spec", {{"f:paused", JsonObject()}}}}}});
  }
  Json object = deployment(R"("spec":{"paused":true})");
  make_path(object, "metadata.managedFields") = std::move(entries);
  const Json stored = updated(object, nullptr, at(1, "b"));
  EXPECT_EQ(array_at(stored, "metadata.managedFields").size(), 1U) << "b took the field over";
  make_path(object, "metadata.uid") = "u";
  const auto applied = apply_configuration(&object, deployment(R"("spec":{"paused":false})"),
                                           deployment_schema(), at(2, "c"), true);
  ASSERT_TRUE(applied);
  EXPECT_EQ(owners_of(*applied).size(), 1U);
}

}  // namespace
}  // namespace trainyard
