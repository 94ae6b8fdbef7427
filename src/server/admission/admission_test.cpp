#include "server/admission/admission.h"

#include "server/test_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

const WallTime kNow = *parse_time("2026-03-01T10:00:00Z");

AdmissionContext context(FieldValidation validation = FieldValidation::kWarn,
                         std::vector<std::string>* warnings = nullptr) {
  return {kNow, validation, warnings};
}

Result<Json> admit(const Resource& resource, Json object,
                   FieldValidation validation = FieldValidation::kWarn) {
  return admit_create(*kind_of(resource), "default", std::move(object), context(validation));
}

/// "field: message" of every cause.
std::string causes_of(const Result<Json>& result) {
  if (result) return "accepted";
  std::string text;
  for (const FieldError& cause : result.error().causes()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", cause.field, cause.message);
  }
  return text.empty() ? result.error().message() : text;
}

Json job_with(const std::string& path, Json value) {
  Json job = make_job("train");
  make_path(job, path) = std::move(value);
  return job;
}

Json& group_of(Json& job) {
  return job.at("spec").at("replicaSpecs").at(0);
}

Json& container_of(Json& job) {
  return group_of(job).at("template").at("spec").at("containers").at(0);
}

TEST(AdmitCreate, GivesAnObjectItsIdentity) {
  const Json job = admit(kPyTorchTrainingJobs, make_job("train")).value_or(nullptr);
  EXPECT_EQ(uid_of(job).size(), 36U);
  EXPECT_EQ(string_at(job, "metadata.creationTimestamp"), "2026-03-01T10:00:00Z");
  EXPECT_EQ(int_at(job, "metadata.generation"), 1);
  EXPECT_EQ(namespace_of(job), "default");
}

TEST(AdmitCreate, FillsInTheDefaultsOfTheKind) {
  const Json job = admit(kPyTorchTrainingJobs, make_job("train")).value_or(nullptr);
  EXPECT_EQ(int_at(job, "spec.runPolicy.backoffLimit"), 3);
  EXPECT_EQ(string_at(job, "spec.runPolicy.cleanUpPolicy"), "None");
  EXPECT_EQ(int_at(array_at(job, "spec.replicaSpecs")[0], "replicas"), 1);
  EXPECT_EQ(string_at(array_at(job, "spec.replicaSpecs")[0], "restartPolicy"), "OnFailure");
  const Json pod = admit(kPods, make_pod("p")).value_or(nullptr);
  EXPECT_EQ(string_at(pod, "status.phase"), "Pending");
  EXPECT_EQ(string_at(pod, "spec.restartPolicy"), "Always");
  EXPECT_EQ(int_at(pod, "spec.terminationGracePeriodSeconds"), 30);
}

TEST(AdmitCreate, IgnoresWhatOnlyTheServerMaySet) {
  Json job = make_job("train");
  job.get_object()["status"] = JsonObject{{"phase", "Succeeded"}};
  make_path(job, "metadata.uid") = "mine";
  make_path(job, "metadata.generation") = 9;
  make_path(job, "metadata.creationTimestamp") = "1999-01-01T00:00:00Z";
  make_path(job, "metadata.deletionTimestamp") = "1999-01-01T00:00:00Z";
  const Json admitted = admit(kPyTorchTrainingJobs, job).value_or(nullptr);
  EXPECT_EQ(find(admitted, "status"), nullptr);
  EXPECT_NE(uid_of(admitted), "mine");
  EXPECT_EQ(find(admitted, "metadata.resourceVersion"), nullptr);
  EXPECT_EQ(int_at(admitted, "metadata.generation"), 1);
  EXPECT_EQ(string_at(admitted, "metadata.creationTimestamp"), "2026-03-01T10:00:00Z");
  EXPECT_FALSE(is_being_deleted(admitted));
  make_path(job, "metadata.resourceVersion") = "7";
  EXPECT_TRUE(admit(kPyTorchTrainingJobs, job).failed_with(Code::kBadRequest));
}

TEST(AdmitCreate, MakesANameFromGenerateName) {
  Json pod = make_pod("");
  make_path(pod, "metadata.generateName") = "run-";
  const Json admitted = admit(kPods, pod).value_or(nullptr);
  EXPECT_TRUE(name_of(admitted).starts_with("run-"));
  EXPECT_EQ(name_of(admitted).size(), 9U);
}

TEST(AdmitCreate, RefusesNamesThatAreNone) {
  for (const char* name : {"", "Upper", "under_score", "-front", "back-", "a..b", "blank name"}) {
    const auto refused = admit(kPods, make_pod(name));
    ASSERT_TRUE(refused.failed_with(Code::kInvalid)) << name;
    EXPECT_EQ(refused.error().causes().at(0).field, "metadata.name");
  }
  EXPECT_TRUE(admit(kPods, make_pod("dotted.name"))) << "a subdomain";
  EXPECT_FALSE(
      admit_create(*kind_of(kNamespaces), "", {{"metadata", {{"name", "dotted.name"}}}}, context()))
      << "a namespace is a label of a host name";
}

TEST(AdmitCreate, RefusesABodyOfAnotherKindOrNamespace) {
  EXPECT_TRUE(admit(kPods, make_config_map("a")).failed_with(Code::kBadRequest));
  Json pod = make_pod("a");
  make_path(pod, "metadata.namespace") = "elsewhere";
  EXPECT_TRUE(admit(kPods, pod).failed_with(Code::kBadRequest));
  EXPECT_TRUE(admit(kPods, JsonArray{}).failed_with(Code::kBadRequest));
  EXPECT_TRUE(admit(kPods, {{"metadata", "text"}}).failed_with(Code::kBadRequest));
}

TEST(AdmitCreate, RefusesUnknownFieldsWhenStrictAndNamesThemAll) {
  Json pod = make_pod("a");
  make_path(pod, "spec.nodeNmae") = "x";
  make_path(pod, "metadata.lables") = JsonObject();
  const auto refused = admit(kPods, pod, FieldValidation::kStrict);
  ASSERT_TRUE(refused.failed_with(Code::kBadRequest));
  EXPECT_NE(refused.error().message().find("unknown field \"spec.nodeNmae\""), std::string::npos);
  EXPECT_NE(refused.error().message().find("unknown field \"metadata.lables\""), std::string::npos);
  EXPECT_NE(refused.error().message().find("strict decoding error"), std::string::npos);
}

TEST(AdmitCreate, WarnsOfUnknownFieldsAndDropsThem) {
  Json pod = make_pod("a");
  make_path(pod, "spec.nodeNmae") = "x";
  std::vector<std::string> warnings;
  const auto admitted =
      admit_create(*kind_of(kPods), "default", pod, context(FieldValidation::kWarn, &warnings));
  ASSERT_TRUE(admitted);
  EXPECT_EQ(find(*admitted, "spec.nodeNmae"), nullptr);
  EXPECT_EQ(warnings, std::vector<std::string>{"unknown field \"spec.nodeNmae\""});
  warnings.clear();
  EXPECT_TRUE(
      admit_create(*kind_of(kPods), "default", pod, context(FieldValidation::kIgnore, &warnings)));
  EXPECT_TRUE(warnings.empty());
}

TEST(AdmitCreate, TellsEveryFaultOfAJobWithItsField) {
  Json job = make_job("train");
  group_of(job).get_object()["replicas"] = -1;
  group_of(job).get_object()["restartPolicy"] = "Sometimes";
  const auto refused = admit(kPyTorchTrainingJobs, job);
  ASSERT_TRUE(refused.failed_with(Code::kInvalid));
  EXPECT_EQ(refused.error().causes().size(), 2U);
  const std::string causes = causes_of(refused);
  EXPECT_NE(causes.find("spec.replicaSpecs[0].replicas: "), std::string::npos) << causes;
  EXPECT_NE(causes.find("spec.replicaSpecs[0].restartPolicy: "), std::string::npos) << causes;
  EXPECT_TRUE(refused.error().message().starts_with(
      "PyTorchTrainingJob.batch.tensorstack.dev \"train\" is invalid: ["));
}

TEST(AdmitCreate, TellsBrokenRulesBesideValuesThatAreNotAllowed) {
  Json pod = make_pod("p");
  make_path(pod, "spec.restartPolicy") = "Sometimes";
  pod.at("spec").at("containers").at(0).get_object()["volumeMounts"] =
      JsonArray{{{"name", "lost"}, {"mountPath", "/data"}}};
  const std::string faults = causes_of(admit(kPods, pod));
  EXPECT_NE(faults.find("spec.restartPolicy: Unsupported value"), std::string::npos) << faults;
  EXPECT_NE(faults.find("volumeMounts[0].name: Not found"), std::string::npos) << faults;
}

TEST(AdmitCreate, FinalizersOfBuiltInKindsHaveADomain) {
  Json map = make_config_map("m");
  make_path(map, "metadata.finalizers") = JsonArray{"hold"};
  EXPECT_NE(causes_of(admit(kConfigMaps, map)).find("metadata.finalizers"), std::string::npos);
  for (const char* good : {"example.com/hold", "orphan", "foregroundDeletion"}) {
    make_path(map, "metadata.finalizers") = JsonArray{good};
    EXPECT_EQ(causes_of(admit(kConfigMaps, map)), "accepted") << good;
  }
  Json job = job_with("metadata.finalizers", JsonArray{"hold"});
  EXPECT_EQ(causes_of(admit(kPyTorchTrainingJobs, job)), "accepted");
}

TEST(AdmitCreate, OnlySomeBuiltInKindsCountGenerations) {
  EXPECT_EQ(find(*admit(kConfigMaps, make_config_map("m")), "metadata.generation"), nullptr);
  EXPECT_EQ(find(*admit(kPods, make_pod("p")), "metadata.generation"), nullptr);
  EXPECT_EQ(int_at(*admit(kPyTorchTrainingJobs, make_job("j")), "metadata.generation"), 1);
}

TEST(AdmitCreate, RefusesJobsThatCannotRun) {
  Json two_of_a_type = make_job("train");
  two_of_a_type.at("spec").at("replicaSpecs").get_array().push_back(group_of(two_of_a_type));
  Json no_replicas = make_job("train");
  group_of(no_replicas).get_object()["replicas"] = 0;
  Json lost_mount = make_job("train");
  container_of(lost_mount).get_object()["volumeMounts"] =
      JsonArray{{{"name", "data"}, {"mountPath", "/data"}}};
  Json greedy = make_job("train");
  container_of(greedy).get_object()["resources"] =
      JsonObject{{"requests", {{"memory", "2Gi"}}}, {"limits", {{"memory", "1Gi"}}}};
  struct Case {
    Json job;
    const char* field;
  };
  const Case cases[] = {
      {two_of_a_type, "spec.replicaSpecs[1]"},
      {no_replicas, "spec.replicaSpecs"},
      {lost_mount, "spec.replicaSpecs[0].template.spec.containers[0].volumeMounts[0].name"},
      {greedy, "spec.replicaSpecs[0].template.spec.containers[0].resources.requests"},
      {job_with("spec.torchrunConfig.enabled", true),
       "spec.replicaSpecs[0].template.spec.containers[0].args"},
      {job_with("spec.runPolicy.activeDeadlineSeconds", 0), "spec.runPolicy.activeDeadlineSeconds"},
      {job_with("metadata.name", JsonString(60, 'a')), "metadata.name"},
  };
  for (const Case& faulty : cases) {
    const auto refused = admit(kPyTorchTrainingJobs, faulty.job);
    ASSERT_TRUE(refused.failed_with(Code::kInvalid)) << faulty.field;
    EXPECT_EQ(refused.error().causes().at(0).field, faulty.field) << causes_of(refused);
  }
}

TEST(AdmitCreate, LimitsWithoutRequestsAreRequests) {
  Json pod = make_pod("a");
  make_path(pod.at("spec").at("containers").at(0), "resources.limits") =
      JsonObject{{"memory", "1Gi"}, {"cpu", "2"}};
  const Json admitted = admit(kPods, pod).value_or(nullptr);
  EXPECT_EQ(string_at(array_at(admitted, "spec.containers")[0], "resources.requests.memory"),
            "1Gi");
}

TEST(AdmitCreate, RefusesAPodWithoutASpec) {
  EXPECT_TRUE(admit(kPods, {{"metadata", {{"name", "a"}}}}).failed_with(Code::kInvalid));
}

}  // namespace
}  // namespace trainyard::server
