// How the API is written to.
#include "base/crypto/ids.h"
#include "server/test_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

const std::string kMaps = "/api/v1/namespaces/default/configmaps";
const std::string kPodPath = "/api/v1/namespaces/default/pods";
const std::string kJobPath =
    "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs";

class RestWriteTest : public ServerTest {
 protected:
  http::Response send_patch(const std::string& target, const std::string& type,
                            const std::string& body) {
    return call("PATCH", target, body, {{"Content-Type", "application/" + type}});
  }
  http::Response send_protobuf(const std::string& body) {
    return call("POST", kMaps, body, {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
  }
  static std::string reason_of(const http::Response& response) {
    return std::to_string(response.status) + " " +
           std::string(string_at(body_of(response), "reason"));
  }
};

TEST_F(RestWriteTest, CreatesFromJsonAndYaml) {
  const auto created = call("POST", kMaps, to_text(make_config_map("a")));
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(name_of(body_of(created)), "a");
  EXPECT_FALSE(uid_of(body_of(created)).empty());
  const auto yaml = call("POST", kMaps, "metadata: {name: b}\ndata: {answer: '42'}\n",
                         {{"Content-Type", "application/yaml"}});
  EXPECT_EQ(yaml.status, 201);
  EXPECT_EQ(string_at(get(kConfigMaps, "b"), "data.answer"), "42");
}

TEST_F(RestWriteTest, CreatesFromProtobufAndAnswersJson) {
  // v1 ConfigMap, metadata: {name: a}, data: {key: "42"}
  const std::string body = *base64_decode("azhzAAoPCgJ2MRIJQ29uZmlnTWFwEhAKAwoBYRIJCgNrZXkSAjQy");
  const auto created = send_protobuf(body);
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(name_of(body_of(created)), "a");
  EXPECT_EQ(string_at(get(kConfigMaps, "a"), "data.key"), "42");
}

TEST_F(RestWriteTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(reason_of(call("POST", kMaps, "{not json")), "400 BadRequest");
  EXPECT_EQ(reason_of(call("POST", kMaps, "[]")), "400 BadRequest");
  EXPECT_EQ(reason_of(send_protobuf("k8s\x01")), "400 BadRequest");
  // kind y of apiVersion x
  EXPECT_EQ(reason_of(send_protobuf(*base64_decode("azhzAAoGCgF4EgF5"))), "400 BadRequest");
}

TEST_F(RestWriteTest, ASecondOfTheSameNameAlreadyExists) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  EXPECT_EQ(reason_of(call("POST", kMaps, to_text(make_config_map("a")))), "409 AlreadyExists");
}

TEST_F(RestWriteTest, AnInvalidObjectTellsAllItsCauses) {
  Json job = make_job("train");
  Json& group = job.at("spec").at("replicaSpecs").at(0);
  group.get_object()["replicas"] = "three";
  group.get_object()["restartPolicy"] = "Sometimes";
  const auto response = call("POST", kJobPath, to_text(job));
  EXPECT_EQ(reason_of(response), "422 Invalid");
  const JsonArray causes = array_at(body_of(response), "details.causes");
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(string_at(causes[0], "field"), "spec.replicaSpecs[0].replicas");
  EXPECT_FALSE(string_at(causes[0], "reason").empty());
}

TEST_F(RestWriteTest, WarnsOfUnknownFieldsInAHeader) {
  const auto response = call("POST", kMaps, R"({"metadata":{"name":"a"},"dta":{}})");
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.headers.find("Warning"), R"(299 - "unknown field \"dta\"")");
}

TEST_F(RestWriteTest, AnObjectThatIsWrongAllOverGetsAnAnswerOfBoundedSize) {
  JsonObject unknown{{"metadata", {{"name", "a"}}}};
  for (int i = 0; i < 5000; ++i) unknown[fmt::format("unknown-{}", i)] = 1;
  unknown[std::string(5000, 'x')] = 1;
  const auto warned = call("POST", kMaps, to_text(unknown));
  EXPECT_EQ(warned.status, 201);
  std::size_t bytes = 0;
  for (const auto& [name, value] : warned.headers.all()) bytes += value.size();
  EXPECT_LT(bytes, 8192U);
  const auto strict = call("POST", kMaps + "?fieldValidation=Strict", to_text(unknown));
  EXPECT_EQ(strict.status, 400);
  EXPECT_LT(strict.body.size(), 20'000U);

  JsonObject numbers;
  for (int i = 0; i < 5000; ++i) numbers[std::to_string(i)] = i;
  const Json wrong{{"metadata", {{"name", "b"}}}, {"data", std::move(numbers)}};
  const auto refused = call("POST", kMaps, to_text(wrong));
  EXPECT_EQ(reason_of(refused), "422 Invalid");
  EXPECT_EQ(array_at(body_of(refused), "details.causes").size(), 1000U);
}

TEST_F(RestWriteTest, FieldValidationDecidesWhatBecomesOfUnknownFields) {
  const std::string body = R"({"metadata":{"name":"a"},"dta":{}})";
  const auto strict = call("POST", kMaps + "?fieldValidation=Strict", body);
  EXPECT_EQ(reason_of(strict), "400 BadRequest");
  EXPECT_NE(string_at(body_of(strict), "message").find("unknown field \"dta\""), std::string::npos);
  EXPECT_FALSE(verbs_.get(*kind_of(kConfigMaps), {"default", "a"}));
  const auto ignored = call("POST", kMaps + "?fieldValidation=Ignore", body);
  EXPECT_EQ(ignored.status, 201);
  EXPECT_FALSE(ignored.headers.find("Warning"));
  EXPECT_EQ(reason_of(call("POST", kMaps + "?fieldValidation=Sometimes", body)), "400 BadRequest");
  const auto patched = call("PATCH", kMaps + "/a?fieldValidation=Strict", R"({"dta":{}})",
                            {{"Content-Type", "application/merge-patch+json"}});
  EXPECT_EQ(patched.status, 400);
}

TEST_F(RestWriteTest, FieldValidationDecidesWhatBecomesOfKeysThatOccurTwice) {
  const std::string body = R"({"metadata":{"name":"a"},"dta":{},"data":{"k":"1","k":"2"}})";
  const auto strict = call("POST", kMaps + "?fieldValidation=Strict", body);
  EXPECT_EQ(reason_of(strict), "400 BadRequest");
  EXPECT_NE(string_at(body_of(strict), "message")
                .find(R"(strict decoding error: duplicate field "data.k", unknown field "dta")"),
            std::string::npos)
      << strict.body;
  const auto warned = call("POST", kMaps + "?dryRun=All", body);
  EXPECT_EQ(warned.headers.find("Warning"), R"(299 - "duplicate field \"data.k\"")");
  const auto ignored = call("POST", kMaps + "?fieldValidation=Ignore", body);
  EXPECT_EQ(ignored.status, 201);
  EXPECT_FALSE(ignored.headers.find("Warning"));
  EXPECT_EQ(string_at(body_of(ignored), "data.k"), "2");
  EXPECT_EQ(
      reason_of(call("PATCH", kMaps + "/a?fieldValidation=Strict", R"({"data":{"k":"3","k":"4"}})",
                     {{"Content-Type", "application/merge-patch+json"}})),
      "400 BadRequest");
}

TEST_F(RestWriteTest, AnApplyMustNameItsType) {
  const auto refused = call("PATCH", kMaps + "/a?fieldManager=x", R"({"metadata":{"name":"a"}})",
                            {{"Content-Type", "application/apply-patch+yaml"}});
  EXPECT_EQ(reason_of(refused), "400 BadRequest");
  EXPECT_NE(refused.body.find("apiVersion and kind are missing"), std::string::npos)
      << refused.body;
}

TEST_F(RestWriteTest, ADryRunAnswersAsIfAndChangesNothing) {
  const std::int64_t before = store_->revision();
  EXPECT_EQ(call("POST", kMaps + "?dryRun=All", to_text(make_config_map("a"))).status, 201);
  EXPECT_EQ(store_->revision(), before);
  EXPECT_EQ(call("POST", kMaps + "?dryRun=Some", to_text(make_config_map("a"))).status, 400);
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  EXPECT_EQ(call("DELETE", kMaps + "/a?dryRun=All").status, 200);
  EXPECT_EQ(call("DELETE", kMaps + "/a", R"({"dryRun":["All"]})").status, 200);
  EXPECT_TRUE(verbs_.get(*kind_of(kConfigMaps), {"default", "a"}));
}

TEST_F(RestWriteTest, PutReplacesUnderTheOptimisticLock) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  Json map = get(kConfigMaps, "a");
  make_path(map, "data") = JsonObject{{"other", "x"}};
  EXPECT_EQ(call("PUT", kMaps + "/a", to_text(map)).status, 200);
  EXPECT_EQ(find(get(kConfigMaps, "a"), "data.key"), nullptr);
  EXPECT_EQ(reason_of(call("PUT", kMaps + "/a", to_text(map))), "409 Conflict");
  EXPECT_EQ(reason_of(call("PUT", kMaps + "/b", to_text(make_config_map("b")))), "404 NotFound");
}

TEST_F(RestWriteTest, PatchesInThreeLanguages) {
  ASSERT_TRUE(create(kPyTorchTrainingJobs, make_job("j")));
  const std::string target = kJobPath + "/j";
  EXPECT_EQ(
      send_patch(target, "merge-patch+json", R"({"metadata":{"labels":{"a":"1","b":"2"}}})").status,
      200);
  EXPECT_EQ(send_patch(target, "json-patch+json",
                       R"([{"op":"test","path":"/metadata/labels/a","value":"1"},)"
                       R"({"op":"remove","path":"/metadata/labels/a"}])")
                .status,
            200);
  EXPECT_EQ(to_text(object_at(get(kPyTorchTrainingJobs, "j"), "metadata.labels")), R"({"b":"2"})");
  EXPECT_EQ(send_patch(target, "json-patch+json",
                       R"([{"op":"test","path":"/metadata/labels/b","value":"no"}])")
                    .status /
                100,
            4);
  EXPECT_EQ(reason_of(send_patch(target, "json-patch+json", R"({"a":1})")), "400 BadRequest");
  EXPECT_EQ(reason_of(send_patch(target, "made-up-patch", "{}")), "415 UnsupportedMediaType");
}

TEST_F(RestWriteTest, AStrategicMergePatchMergesListsByTheirKeys) {
  ASSERT_TRUE(create(kPods, make_pod("p")));
  const auto set = [&](const char* type, const char* status) {
    return send_patch(kPodPath + "/p/status", "strategic-merge-patch+json",
                      std::string(R"({"status":{"conditions":[{"type":")") + type +
                          R"(","status":")" + status + R"("}]}})");
  };
  EXPECT_EQ(set("Ready", "False").status, 200);
  EXPECT_EQ(set("Initialized", "True").status, 200);
  EXPECT_EQ(set("Ready", "True").status, 200);
  const Json pod = get(kPods, "p");
  const JsonArray& conditions = array_at(pod, "status.conditions");
  ASSERT_EQ(conditions.size(), 2U);
  for (const Json& condition : conditions) EXPECT_EQ(string_at(condition, "status"), "True");
}

TEST_F(RestWriteTest, TheStatusSubresourceWritesStatusOnly) {
  ASSERT_TRUE(create(kPyTorchTrainingJobs, make_job("j")));
  const std::string both =
      R"({"spec":{"runPolicy":{"backoffLimit":9}},"status":{"phase":"Failed"}})";
  EXPECT_EQ(send_patch(kJobPath + "/j/status", "merge-patch+json", both).status, 200);
  EXPECT_EQ(string_at(get(kPyTorchTrainingJobs, "j"), "status.phase"), "Failed");
  EXPECT_EQ(int_at(get(kPyTorchTrainingJobs, "j"), "spec.runPolicy.backoffLimit"), 3);
  const std::string other =
      R"({"spec":{"runPolicy":{"backoffLimit":9}},"status":{"phase":"Running"}})";
  EXPECT_EQ(send_patch(kJobPath + "/j", "merge-patch+json", other).status, 200);
  EXPECT_EQ(string_at(get(kPyTorchTrainingJobs, "j"), "status.phase"), "Failed");
  EXPECT_EQ(int_at(get(kPyTorchTrainingJobs, "j"), "spec.runPolicy.backoffLimit"), 9);
  EXPECT_EQ(name_of(body_of(call("GET", kJobPath + "/j/status"))), "j");
}

TEST_F(RestWriteTest, DeletingAnswersAStatusWhenTheObjectIsGone) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  const auto gone = call("DELETE", kMaps + "/a");
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(string_at(body_of(gone), "status"), "Success");
  EXPECT_EQ(string_at(body_of(gone), "details.name"), "a");
}

TEST_F(RestWriteTest, DeletingAnswersTheObjectWhileItIsOnItsWay) {
  ASSERT_TRUE(create(kPods, make_pod("p")));
  std::vector<client::Binding> placement{{{"default", "p"}, "node-0"}};
  ASSERT_TRUE(loop_.run(verbs_.bind(placement)));
  const auto going = call("DELETE", kPodPath + "/p", R"({"gracePeriodSeconds":7})");
  EXPECT_EQ(int_at(body_of(going), "metadata.deletionGracePeriodSeconds"), 7);
  EXPECT_EQ(call("DELETE", kPodPath + "/p?gracePeriodSeconds=0").status, 200);
  EXPECT_FALSE(verbs_.get(*kind_of(kPods), {"default", "p"}));
  EXPECT_EQ(reason_of(call("DELETE", kPodPath + "/p?gracePeriodSeconds=soon")), "400 BadRequest");
}

TEST_F(RestWriteTest, DeletingHonoursItsPreconditions) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  EXPECT_EQ(reason_of(call("DELETE", kMaps + "/a", R"({"preconditions":{"uid":"other"}})")),
            "409 Conflict");
}

}  // namespace
}  // namespace trainyard::server
