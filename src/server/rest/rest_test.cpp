// What can be read from the API, and how it refuses.
#include "server/rest/rest.h"

#include "server/test_server.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::server {
namespace {

const std::string kTableType = "application/json;as=Table;v=v1;g=meta.k8s.io";
const std::string kPodPath = "/api/v1/namespaces/default/pods";

/// code and reason of a Status, and that the HTTP status is the same.
std::string refusal(const http::Response& response) {
  const Json body = body_of(response);
  EXPECT_EQ(string_at(body, "kind"), "Status");
  EXPECT_EQ(string_at(body, "status"), "Failure");
  EXPECT_EQ(int_at(body, "code"), response.status);
  EXPECT_FALSE(string_at(body, "message").empty());
  return std::to_string(response.status) + " " + std::string(string_at(body, "reason"));
}

std::vector<std::string> names_in(const JsonArray& list) {
  std::vector<std::string> names;
  for (const Json& entry : list) {
    names.emplace_back(string_at(entry, "name", name_of(entry)));
  }
  return names;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

class RestTest : public ServerTest {};

TEST_F(RestTest, OnlyHealthAndVersionAreServedWithoutAToken) {
  for (const char* path : {"/livez", "/readyz", "/version"}) {
    EXPECT_EQ(call("GET", path, "", {{"Authorization", "none"}}).status, 200) << path;
  }
  for (const char* header : {"none", "Bearer wrong", "Bearer ", "Basic secret", "secret"}) {
    EXPECT_EQ(refusal(call("GET", "/api", "", {{"Authorization", header}})), "401 Unauthorized")
        << header;
  }
}

TEST_F(RestTest, DiscoveryTellsGroupsVersionsAndResources) {
  EXPECT_EQ(string_at(body_of(call("GET", "/version")), "major"), "1");
  EXPECT_EQ(to_text(array_at(body_of(call("GET", "/api")), "versions")), R"(["v1"])");
  const Json groups = body_of(call("GET", "/apis"));
  EXPECT_TRUE(contains(names_in(array_at(groups, "groups")), "batch.tensorstack.dev"));
  const Json group = body_of(call("GET", "/apis/batch.tensorstack.dev"));
  EXPECT_EQ(string_at(group, "preferredVersion.groupVersion"), "batch.tensorstack.dev/v1beta1");
  const Json jobs = body_of(call("GET", "/apis/batch.tensorstack.dev/v1beta1"));
  const auto names = names_in(array_at(jobs, "resources"));
  EXPECT_TRUE(contains(names, "pytorchtrainingjobs"));
  EXPECT_TRUE(contains(names, "pytorchtrainingjobs/status"));
  const Json core = body_of(call("GET", "/api/v1"));
  EXPECT_TRUE(contains(names_in(array_at(core, "resources")), "pods/log"));
}

TEST_F(RestTest, ServesTheOpenApiDocuments) {
  EXPECT_EQ(string_at(body_of(call("GET", "/openapi/v3/api/v1?hash=1")), "openapi"), "3.0.0");
}

TEST_F(RestTest, GetsOneObjectAndListsMany) {
  ASSERT_TRUE(create(kPods, make_pod("a")));
  ASSERT_TRUE(create(kPods, make_pod("b")));
  EXPECT_EQ(name_of(body_of(call("GET", kPodPath + "/a"))), "a");
  for (const std::string& path : {kPodPath, std::string("/api/v1/pods")}) {
    const Json list = body_of(call("GET", path));
    EXPECT_EQ(string_at(list, "kind"), "PodList");
    EXPECT_EQ(string_at(list, "metadata.resourceVersion"), std::to_string(store_->revision()));
    EXPECT_EQ(names_in(array_at(list, "items")), (std::vector<std::string>{"a", "b"}));
  }
}

TEST_F(RestTest, ListsBySelectors) {
  ASSERT_TRUE(create(kPods, make_pod("a", {{"app", "x"}})));
  ASSERT_TRUE(create(kPods, make_pod("b", {{"app", "y"}})));
  const auto listed = [&](const std::string& query) {
    return names_in(array_at(body_of(call("GET", kPodPath + "?" + query)), "items"));
  };
  EXPECT_EQ(listed("labelSelector=app%3Dx"), std::vector<std::string>{"a"});
  EXPECT_EQ(listed("labelSelector=app%20notin%20(x)"), std::vector<std::string>{"b"});
  EXPECT_EQ(listed("fieldSelector=metadata.name%3Db"), std::vector<std::string>{"b"});
}

TEST_F(RestTest, GivesTablesToThoseWhoAsk) {
  ASSERT_TRUE(create(kPyTorchTrainingJobs, make_job("j")));
  const std::string path =
      "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/"
      "pytorchtrainingjobs";
  for (const std::string& target : {path, path + "/j"}) {
    const Json table = body_of(call("GET", target, "", {{"Accept", kTableType}}));
    EXPECT_EQ(string_at(table, "kind"), "Table");
    EXPECT_EQ(string_at(table, "apiVersion"), "meta.k8s.io/v1");
    EXPECT_FALSE(string_at(table, "metadata.resourceVersion").empty());
    const auto columns = names_in(array_at(table, "columnDefinitions"));
    EXPECT_EQ(std::vector<std::string>(columns.begin(), columns.begin() + 3),
              (std::vector<std::string>{"Name", "Phase", "Age"}));
    ASSERT_EQ(array_at(table, "rows").size(), 1U);
    EXPECT_EQ(array_at(array_at(table, "rows")[0], "cells")[0], "j");
  }
}

TEST_F(RestTest, AScaleHasATableOfItsOwn) {
  const std::string path = "/apis/apps/v1/namespaces/default/deployments";
  const std::string deployment = R"({"metadata":{"name":"d"},"spec":{"replicas":3,
    "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
    "spec":{"containers":[{"name":"c","image":"i"}]}}}})";
  ASSERT_EQ(call("POST", path, deployment).status, 201);
  const Json table = body_of(call("GET", path + "/d/scale", "", {{"Accept", kTableType}}));
  EXPECT_EQ(names_in(array_at(table, "columnDefinitions")),
            (std::vector<std::string>{"Name", "Desired", "Available", "Age"}));
  EXPECT_EQ(to_text(array_at(array_at(table, "rows").at(0), "cells")), R"(["d",3,0,"0s"])");
  EXPECT_EQ(string_at(body_of(call("GET", path + "/d/scale")), "kind"), "Scale");
}

TEST_F(RestTest, AVersionThatIsYetToComeIsTooLarge) {
  const auto answer = call("GET", kPodPath + "?resourceVersion=999999999");
  EXPECT_EQ(answer.status, 504);
  EXPECT_EQ(string_at(array_at(body_of(answer), "details.causes").at(0), "reason"),
            "ResourceVersionTooLarge");
}

TEST_F(RestTest, OpenApiComesInProtobufForThoseWhoAsk) {
  const auto answer = call("GET", "/openapi/v2", "", {{"Accept", kOpenApiProtobuf}});
  EXPECT_EQ(answer.headers.find("Content-Type"), kOpenApiProtobufAnswer);
  EXPECT_TRUE(
      answer.body.starts_with("\n\x03"
                              "2.0"))
      << "swagger: 2.0";
}

TEST_F(RestTest, TellsOthersHowToCheckOurTokens) {
  const auto keys = call("GET", "/openid/v1/jwks");
  EXPECT_EQ(keys.headers.find("Content-Type"), "application/jwk-set+json");
  const Json key = array_at(body_of(keys), "keys").at(0);
  EXPECT_EQ(string_at(key, "alg"), "ES256");
  EXPECT_EQ(string_at(key, "x").size(), 43U);
  EXPECT_EQ(string_at(key, "y").size(), 43U);
  const auto where = call("GET", "/.well-known/openid-configuration", "", {{"Host", "here:1"}});
  EXPECT_EQ(string_at(body_of(where), "jwks_uri"), "https://here:1/openid/v1/jwks");
}

TEST_F(RestTest, SelectsByWhatIsMissingAndByWhatIsCalledOtherwise) {
  ASSERT_TRUE(create(kPods, make_pod("a")));
  const auto listed = [&](const std::string& path, const std::string& selector) {
    return array_at(body_of(call("GET", path + "?fieldSelector=" + selector)), "items").size();
  };
  EXPECT_EQ(listed(kPodPath, "spec.hostNetwork%3Dfalse"), 1U);
  EXPECT_EQ(listed(kPodPath, "spec.hostNetwork%3Dtrue"), 0U);
  const std::string events = "/api/v1/namespaces/default/events";
  ASSERT_EQ(call("POST", events, R"({"metadata":{"name":"e","namespace":"default"},"type":"Normal",
    "reason":"R","involvedObject":{"kind":"Pod","name":"a","namespace":"default"},
    "source":{"component":"node"}})")
                .status,
            201);
  EXPECT_EQ(listed(events, "source%3Dnode"), 1U);
  EXPECT_EQ(listed("/apis/events.k8s.io/v1/namespaces/default/events", "regarding.name%3Da"), 1U);
}

TEST_F(RestTest, ATablesRowsCarryAsMuchOfTheirObjectsAsAsked) {
  ASSERT_TRUE(create(kPods, make_pod("a")));
  const auto row = [&](const std::string& include) {
    const Json table =
        body_of(call("GET", kPodPath + "?includeObject=" + include, "", {{"Accept", kTableType}}));
    return array_at(table, "rows")[0];
  };
  EXPECT_EQ(string_at(row("Object"), "object.kind"), "Pod");
  EXPECT_EQ(string_at(row("Metadata"), "object.kind"), "PartialObjectMetadata");
  EXPECT_EQ(find(row("Metadata"), "object.spec"), nullptr);
  EXPECT_EQ(string_at(row("None"), "object.kind"), "");
}

TEST_F(RestTest, GivesOnlyMetadataToThoseWhoAsk) {
  ASSERT_TRUE(create(kPods, make_pod("a")));
  const std::string one = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const Json object = body_of(call("GET", kPodPath + "/a", "", {{"Accept", one}}));
  EXPECT_EQ(string_at(object, "kind"), "PartialObjectMetadata");
  EXPECT_EQ(find(object, "spec"), nullptr);
  const std::string many = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  const Json list = body_of(call("GET", kPodPath, "", {{"Accept", many}}));
  EXPECT_EQ(string_at(list, "kind"), "PartialObjectMetadataList");
  EXPECT_EQ(names_in(array_at(list, "items")), std::vector<std::string>{"a"});
}

TEST_F(RestTest, AcceptListsFallThroughToJson) {
  const std::string both = "application/vnd.kubernetes.protobuf,application/json";
  EXPECT_EQ(call("GET", kPodPath, "", {{"Accept", both}}).status, 200);
  const auto refused =
      call("GET", kPodPath, "", {{"Accept", "application/vnd.kubernetes.protobuf"}});
  EXPECT_EQ(refusal(refused), "406 NotAcceptable");
}

TEST_F(RestTest, RefusesInWordsAndWithTheRightStatus) {
  struct Case {
    const char* method;
    std::string target;
    const char* expected;
  };
  const Case cases[] = {
      {"GET", kPodPath + "/missing", "404 NotFound"},
      {"GET", "/api/v1/namespaces/default/poods", "404 NotFound"},
      {"GET", "/nothing/here", "404 NotFound"},
      {"GET", "/apis/unknown.group/v1", "404 NotFound"},
      {"GET", kPodPath + "/a/portforward", "404 NotFound"},
      {"GET", kPodPath + "/a/nothing", "404 NotFound"},
      {"GET", "/api/v1/namespaces/default/nodes", "404 NotFound"},
      {"GET", kPodPath + "?labelSelector=a%3D%3D%3Db(", "400 BadRequest"},
      {"GET", kPodPath + "?fieldSelector=spec.secret%3Dx", "400 BadRequest"},
      {"GET", kPodPath + "?watch=1&resourceVersion=old", "400 BadRequest"},
      {"GET", kPodPath + "?watch=1&resourceVersion=5", "410 Expired"},
      {"POST", kPodPath + "/a", "405 MethodNotAllowed"},
      {"PUT", kPodPath, "405 MethodNotAllowed"},
      {"BREW", kPodPath, "405 MethodNotAllowed"},
      {"DELETE", kPodPath + "/missing", "404 NotFound"},
  };
  for (const Case& expected : cases) {
    SCOPED_TRACE(std::string(expected.method) + " " + expected.target);
    EXPECT_EQ(refusal(call(expected.method, expected.target)), expected.expected);
  }
}

TEST_F(RestTest, SaysNotFoundInTheWordsThatScriptsLookFor) {
  const auto response = call(
      "GET", "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/mnist");
  EXPECT_EQ(string_at(body_of(response), "message"),
            "pytorchtrainingjobs.batch.tensorstack.dev \"mnist\" not found");
}

TEST_F(RestTest, StreamsALogWithTheOptionsAskedFor) {
  ASSERT_TRUE(create(kPods, make_pod("a")));
  streams_.pieces = {"one\n", "two\n"};
  const auto response =
      call("GET", kPodPath +
                      "/a/log?container=main&follow=true&tailLines=10&timestamps=true&"
                      "limitBytes=99&sinceSeconds=60&previous=false");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "one\ntwo\n");
  EXPECT_EQ(streams_.asked_pod, (Key{"default", "a"}));
  EXPECT_EQ(streams_.asked.container, "main");
  EXPECT_TRUE(streams_.asked.follow);
  EXPECT_TRUE(streams_.asked.timestamps);
  EXPECT_FALSE(streams_.asked.previous);
  EXPECT_EQ(streams_.asked.tail_lines, 10);
  EXPECT_EQ(streams_.asked.limit_bytes, 99);
  EXPECT_EQ(streams_.asked.since, clock_.wall() - std::chrono::seconds(60));
}

TEST_F(RestTest, RefusesLogsOfMissingPodsAndSillyNumbers) {
  streams_.failure = Error(Code::kNotFound, "pods \"a\" not found");
  EXPECT_EQ(refusal(call("GET", kPodPath + "/a/log")), "404 NotFound");
  EXPECT_EQ(refusal(call("GET", kPodPath + "/a/log?tailLines=many")), "400 BadRequest");
  EXPECT_EQ(refusal(call("GET", kPodPath + "/a/log?limitBytes=-1")), "400 BadRequest");
}

}  // namespace
}  // namespace trainyard::server
