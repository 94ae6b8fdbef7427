#include "object/apply/managed_fields.h"
#include "object/apply/ownership_for_tests.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

constexpr bool kForce = true;

Result<Json> apply(const Json* current, const Json& configuration, const FieldManager& manager,
                   bool force = false) {
  auto result = apply_configuration(current, configuration, deployment_schema(), manager, force);
  if (result) make_path(*result, "metadata.uid") = "u";
  return result;
}

/// Without metadata, for comparing.
std::string spec_of(const Json& object) {
  const Json* spec = find(object, "spec");
  return spec == nullptr ? "" : to_text(*spec);
}

TEST(Apply, CreatesAndOwnsWhatTheConfigurationSays) {
  const auto object = apply(
      nullptr,
      deployment(R"("spec":{"replicas":1,"containers":[{"name":"a"}]})", R"("labels":{"x":"1"})"),
      at(0, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(spec_of(*object), R"({"replicas":1,"containers":[{"name":"a"}]})");
  EXPECT_EQ(owners_of(*object),
            (Lines{R"(ci Apply 00:00: .metadata.labels.x .spec.replicas )"
                   R"(.spec.containers[name="a"] .spec.containers[name="a"].name)"}));
}

TEST(Apply, OwnsNothingWhenTheConfigurationSaysNothing) {
  const auto object = apply(nullptr, deployment("", R"("namespace":"x")"), at(0, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(find(*object, "metadata.managedFields"), nullptr);
}

TEST(Apply, ChangesNothingWhenTheConfigurationIsTheSame) {
  const Json configuration = deployment(R"("spec":{"replicas":1,"containers":[{"name":"a"}]})");
  const auto first = apply(nullptr, configuration, at(0, "ci"));
  const auto second = apply(&*first, configuration, at(5, "ci"));
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, *first);
}

TEST(Apply, ChangesNothingWhereTheConfigurationSaysNullAndThereIsNothing) {
  const Json configuration =
      deployment(R"("spec":{"replicas":1,"paused":null})", R"("creationTimestamp":null)");
  Json stored = *apply(nullptr, configuration, at(0, "ci"));
  EXPECT_EQ(find(stored, "metadata.creationTimestamp"), nullptr);
  make_path(stored, "metadata.creationTimestamp") = "2026-11-16T00:00:00Z";
  stored.at("spec").get_object().erase("paused");  // as the server does with null
  const auto again = apply(&stored, configuration, at(5, "ci"));
  ASSERT_TRUE(again);
  EXPECT_EQ(string_at(*again, "metadata.creationTimestamp"), "2026-11-16T00:00:00Z");
  EXPECT_EQ(owners_of(*again), Lines{"ci Apply 00:00: .spec.paused .spec.replicas"});
}

TEST(Apply, MergesAndLeavesAloneWhatItDoesNotSay) {
  const Json current = created(
      deployment(R"("spec":{"replicas":1,"containers":[{"name":"a","image":"x","args":["1"]}]},
                    "status":{"ready":1})"),
      at(0, "other"));
  const auto object = apply(
      &current,
      deployment(R"("spec":{"paused":true,"containers":[{"name":"a","args":["1"]},{"name":"b"}]})"),
      at(1, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(spec_of(*object),
            R"({"replicas":1,"containers":[{"name":"a","image":"x","args":["1"]},{"name":"b"}],)"
            R"("paused":true})");
  EXPECT_EQ(int_at(*object, "status.ready"), 1);
}

TEST(Apply, RemovesWhatItSaidBeforeAndNoLongerSays) {
  auto object = apply(
      nullptr,
      deployment(R"("spec":{"replicas":1,"paused":true,"selector":{"a":"1"},"containers":[
        {"name":"a","image":"x","env":[{"name":"A"},{"name":"B"}]},{"name":"b"}]})",
                 R"("labels":{"x":"1","y":"1"},"annotations":{"z":"1"},"finalizers":["f","g"])"),
      at(0, "ci"));
  object = apply(&*object,
                 deployment(R"("spec":{"replicas":1,"containers":[{"name":"a",
                   "env":[{"name":"B"}]}]})",
                            R"("labels":{"y":"1"},"finalizers":["g"])"),
                 at(1, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(spec_of(*object), R"({"replicas":1,"containers":[{"name":"a","env":[{"name":"B"}]}]})");
  EXPECT_EQ(to_text(*find(*object, "metadata.labels")), R"({"y":"1"})");
  EXPECT_EQ(to_text(*find(*object, "metadata.finalizers")), R"(["g"])");
  EXPECT_EQ(find(*object, "metadata.annotations"), nullptr);
  object = apply(&*object, deployment(""), at(2, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(find(*object, "spec"), nullptr);
  EXPECT_EQ(to_text(*find(*object, "metadata")), R"({"name":"web","uid":"u"})");
}

TEST(Apply, LeavesNullWhereItEmptiesWhatNoSchemaDescribes) {
  // As the field manager of Kubernetes 1.33 answers, and the same when it is applied again.
  auto object = apply(nullptr, deployment(R"("status":{"a":{"c":1.5}})"), at(0, "ci"));
  for (int minute = 1; minute <= 2; ++minute) {
    object = apply(&*object, deployment(R"("status":{"a":null})"), at(minute, "ci"));
    ASSERT_TRUE(object);
    EXPECT_EQ(to_text(*find(*object, "status")), R"({"a":null})") << minute;
    EXPECT_EQ(owners_of(*object), Lines{"ci Apply 00:01: .status.a"});
  }
}

TEST(Apply, KeepsWhatOthersOwnWhenItNoLongerSaysIt) {
  const Json configuration =
      deployment(R"("spec":{"replicas":1,"containers":[{"name":"a","image":"x"}]})");
  auto object = apply(nullptr, configuration, at(0, "one"));
  object = apply(&*object, configuration, at(1, "two"));
  object = apply(&*object, deployment(R"("spec":{"paused":true})"), at(2, "one"));
  ASSERT_TRUE(object);
  EXPECT_EQ(spec_of(*object),
            R"({"replicas":1,"containers":[{"name":"a","image":"x"}],"paused":true})");
}

TEST(Apply, KeepsWhatAnUpdateSetInAnElementThatItNoLongerSays) {
  auto object = apply(nullptr, deployment(R"("spec":{"containers":[{"name":"a","image":"x"}]})"),
                      at(0, "ci"));
  object = updated(deployment(R"("spec":{"containers":[{"name":"a","image":"x","args":["1"]}]})"),
                   &*object, at(1, "mesh"));
  // The element itself goes: nobody else said that it should be there.
  object = apply(&*object, deployment(R"("spec":{"replicas":1})"), at(2, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(spec_of(*object), R"({"replicas":1})");
  EXPECT_EQ(owners_of(*object), Lines{"ci Apply 00:02: .spec.replicas"});
}

TEST(Apply, LeavesOutMapsThatItEmptiesAndLetsOthersGoOnOwningThem) {
  Json current =
      created(deployment(R"("spec":{"replicas":1})", R"("labels":{"x":"1"})"), at(0, "other"));
  current =
      updated(deployment(R"("spec":{"replicas":1})", R"("labels":{})"), &current, at(1, "other"));
  auto object = apply(&current, deployment("", R"("labels":{"y":"1"})"), at(2, "ci"));
  object = apply(&*object, deployment(""), at(3, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(find(*object, "metadata.labels"), nullptr);
  EXPECT_EQ(owners_of(*object), Lines{"other Update 00:00: .spec .metadata.labels .spec.replicas"});
}

TEST(Apply, RefusesToChangeWhatOthersOwn) {
  const Json current = created(deployment(R"("spec":{"replicas":3})"), at(0, "x"));
  const auto refused = apply(&current, deployment(R"("spec":{"replicas":1})"), at(1, "ci"));
  ASSERT_TRUE(refused.failed_with(Code::kConflict));
  EXPECT_EQ(refused.error().message(),
            "Apply failed with 1 conflict: conflict with \"x\" using apps/v1: .spec.replicas");
  ASSERT_EQ(refused.error().causes().size(), 1U);
  EXPECT_EQ(refused.error().causes()[0].field, ".spec.replicas");
  EXPECT_EQ(refused.error().causes()[0].reason, "FieldManagerConflict");
  EXPECT_EQ(refused.error().causes()[0].message, "conflict with \"x\" using apps/v1");
}

TEST(Apply, NamesEveryManagerAndFieldThatItConflictsWith) {
  auto object =
      apply(nullptr, deployment(R"("spec":{"paused":true,"containers":[{"name":"a","image":"x",
                        "env":[{"name":"A","value":"1"}]}]})"),
            at(0, "ci"));
  object = updated(deployment(R"("spec":{"paused":true,"replicas":3,"containers":[{"name":"a",
                     "image":"x","env":[{"name":"A","value":"1"}]}]},"status":{"n":1})"),
                   &*object, at(1, "hpa", "scale"));
  const auto refused =
      apply(&*object,
            deployment(R"("spec":{"paused":false,"replicas":1,"containers":[{"name":"a","image":"y",
        "env":[{"name":"A","value":"2"}]}]},"status":{"n":2})"),
            at(2, "me"));
  ASSERT_TRUE(refused.failed_with(Code::kConflict));
  EXPECT_EQ(refused.error().message(),
            "Apply failed with 5 conflicts: conflicts with \"ci\":\n"
            "- .spec.paused\n"
            "- .spec.containers[name=\"a\"].image\n"
            "- .spec.containers[name=\"a\"].env[name=\"A\"].value\n"
            "conflicts with \"hpa\" with subresource \"scale\" using apps/v1:\n"
            "- .spec.replicas\n"
            "- .status.n");
  ASSERT_EQ(refused.error().causes().size(), 5U);
  EXPECT_EQ(refused.error().causes()[0].message, "conflict with \"ci\"");
  EXPECT_EQ(refused.error().causes()[4].message,
            "conflict with \"hpa\" with subresource \"scale\" using apps/v1");
}

TEST(Apply, SharesWhatHasTheSameValue) {
  const Json current =
      created(deployment(R"("spec":{"replicas":3,"paused":true})"), at(0, "other"));
  const auto object = apply(&current, deployment(R"("spec":{"replicas":3})"), at(1, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(owners_of(*object), (Lines{"ci Apply: .spec.replicas",
                                       "other Update 00:00: .spec .spec.paused .spec.replicas"}));
}

TEST(Apply, TakesOverWhenForced) {
  const Json current =
      created(deployment(R"("spec":{"replicas":3,"paused":true})"), at(0, "other"));
  auto object = apply(&current, deployment(R"("spec":{"replicas":1})"), at(1, "ci"), kForce);
  ASSERT_TRUE(object);
  EXPECT_EQ(int_at(*object, "spec.replicas"), 1);
  EXPECT_EQ(owners_of(*object),
            (Lines{"ci Apply 00:01: .spec.replicas", "other Update 00:00: .spec .spec.paused"}));
  object =
      apply(&*object, deployment(R"("spec":{"replicas":2,"paused":false})"), at(2, "new"), kForce);
  EXPECT_EQ(owners_of(*object),
            (Lines{"new Apply 00:02: .spec.paused .spec.replicas", "other Update 00:00: .spec"}));
}

TEST(Apply, ReplacesListsAndMapsThatAreOneField) {
  auto object = apply(nullptr, deployment(R"("spec":{"selector":{"a":"1"},
                        "containers":[{"name":"a","args":["1","2"]}]})"),
                      at(0, "ci"));
  object = apply(&*object, deployment(R"("spec":{"selector":{"b":"1"},
                   "containers":[{"name":"a","args":["3"]}]})"),
                 at(1, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(spec_of(*object), R"({"selector":{"b":"1"},"containers":[{"name":"a","args":["3"]}]})");
}

TEST(Apply, IsOneManagerInEveryVersion) {
  const auto first =
      apply(nullptr, deployment(R"("spec":{"replicas":1,"paused":true})"), at(0, "ci"));
  FieldManager beta = at(1, "ci");
  beta.api_version = "apps/v1beta1";
  Json configuration = deployment(R"("spec":{"replicas":1})");
  make_path(configuration, "apiVersion") = "apps/v1beta1";
  const auto second = apply(&*first, configuration, beta);
  ASSERT_TRUE(second);
  EXPECT_EQ(spec_of(*second), R"({"replicas":1})");
  EXPECT_EQ(owners_of(*second), Lines{"ci Apply 00:01: .spec.replicas"});
  EXPECT_EQ(string_at(second->at("metadata").at("managedFields").at(0), "apiVersion"),
            "apps/v1beta1");
}

TEST(Apply, TellsWhatWasThereBeforeTheFirstApply) {
  const Json current =
      deployment(R"("spec":{"replicas":3,"paused":true})", R"("uid":"u","resourceVersion":"7")");
  const auto object = apply(&current, deployment(R"("spec":{"paused":true})"), at(1, "ci"));
  ASSERT_TRUE(object);
  EXPECT_EQ(owners_of(*object),
            (Lines{"ci Apply: .spec.paused",
                   "before-first-apply Update 00:01: .spec .spec.paused .spec.replicas"}));
  const auto refused = apply(&current, deployment(R"("spec":{"replicas":1})"), at(1, "ci"));
  ASSERT_TRUE(refused.failed_with(Code::kConflict));
  EXPECT_EQ(refused.error().causes()[0].message,
            "conflict with \"before-first-apply\" using apps/v1");
}

TEST(Apply, RefusesConfigurationsThatAreNone) {
  const Json current = created(deployment(R"("spec":{"replicas":3})"), at(0, "x"));
  const auto message = [&](const Json& configuration) {
    const auto refused = apply(&current, configuration, at(1, "ci"));
    EXPECT_TRUE(refused.failed_with(Code::kBadRequest)) << to_text(configuration);
    return refused ? "" : refused.error().message();
  };
  EXPECT_EQ(message(deployment("", R"("managedFields":[])")), "metadata.managedFields must be nil");
  EXPECT_EQ(message(deployment("", R"("managedFields":[{"manager":"x"}])")),
            "metadata.managedFields must be nil");
  Json version = deployment("");
  make_path(version, "apiVersion") = "apps/v2";
  EXPECT_EQ(message(version),
            "Incorrect version specified in apply patch. Specified patch version: apps/v2, "
            "expected: apps/v1");
  Json kind = deployment("");
  make_path(kind, "kind") = "Pod";
  EXPECT_EQ(message(kind), "invalid object type: apps/v1, Kind=Pod");
  EXPECT_EQ(message(deployment(R"("spec":{"replica":1})", R"("namespace":"default")")),
            "failed to create typed patch object (default/web; apps/v1, Kind=Deployment): "
            ".spec.replica: field not declared in schema");
  EXPECT_EQ(message(deployment(R"("spec":{"a":1,"b":1})")),
            "failed to create typed patch object (/web; apps/v1, Kind=Deployment): errors:\n"
            "  .spec.a: field not declared in schema\n"
            "  .spec.b: field not declared in schema");
  message(read("[]"));
  EXPECT_TRUE(apply(&current, deployment("", R"("managedFields":null)"), at(1, "ci")));
}

constexpr const char* kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

Json client_side_applied(std::string_view spec) {
  Json object = deployment(spec);
  const std::string text = to_text(object) + "\n";
  make_path(object, "metadata.annotations").emplace_object()[kAnnotation] = text;
  return object;
}

TEST(Apply, LetsKubectlTakeOverWhatItAppliedFromTheClient) {
  const Json current = created(client_side_applied(R"("spec":{"replicas":3,"paused":true})"),
                               at(0, "kubectl-client-side-apply"));
  const Json configuration = deployment(R"("spec":{"replicas":1,"paused":true})");
  const auto object = apply(&current, configuration, at(1, "kubectl"));
  ASSERT_TRUE(object) << object.error().message();
  EXPECT_EQ(int_at(*object, "spec.replicas"), 1);
  // The annotation follows, so that client-side apply can go on from here.
  EXPECT_EQ(to_text(object->at("metadata").at("annotations").at(kAnnotation)),
            to_text(Json(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},)"
                         R"("spec":{"paused":true,"replicas":1}})"
                         "\n")));
  EXPECT_TRUE(apply(&current, configuration, at(1, "argo")).failed_with(Code::kConflict));
}

TEST(Apply, DoesNotLetKubectlTakeOverWhatOthersChangedSince) {
  Json current = created(client_side_applied(R"("spec":{"replicas":3,"paused":true})"),
                         at(0, "kubectl-client-side-apply"));
  Json scaled = current;
  make_path(scaled, "spec.replicas") = 5;
  current = updated(scaled, &current, at(1, "hpa"));
  const auto refused =
      apply(&current, deployment(R"("spec":{"replicas":1,"paused":false})"), at(2, "kubectl"));
  ASSERT_TRUE(refused.failed_with(Code::kConflict));
  EXPECT_EQ(refused.error().message(),
            "Apply failed with 1 conflict: conflict with \"hpa\" using apps/v1: .spec.replicas");
}

TEST(Apply, ForgetsTheAnnotationOfClientSideApplyWhenItWouldBeTooLarge) {
  const Json current =
      created(client_side_applied(R"("spec":{"replicas":3})"), at(0, "kubectl-client-side-apply"));
  Json configuration = deployment("");
  make_path(configuration, "metadata.annotations.big") = std::string(200 << 10, 'x');
  const auto object = apply(&current, configuration, at(1, "kubectl"));
  ASSERT_TRUE(object);
  EXPECT_FALSE(object->at("metadata").at("annotations").get_object().contains(kAnnotation));
}

}  // namespace
}  // namespace trainyard
