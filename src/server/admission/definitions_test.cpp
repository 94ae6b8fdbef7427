// Kinds that users bring, over HTTP.
#include "server/admission/definitions.h"

#include "server/test_server.h"
#include "server/test_store.h"

#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

const std::string kAll = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string kOne = kAll + "/trains.rail.example.com";
const std::string kNew = "/apis/rail.example.com/v1/namespaces/default/trains";
const std::string kOld = "/apis/rail.example.com/v1alpha1/namespaces/default/trains";

class DefinitionsTest : public ServerTest {
 protected:
  void SetUp() override {
    const Json definition = from_yaml(R"(
metadata: {name: trains.rail.example.com}
spec:
  group: rail.example.com
  scope: Namespaced
  names: {plural: trains, kind: Train}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {wagons: {type: integer, default: 4}, fuel: {type: string}}
  - name: v1alpha1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {wagons: {type: integer}, fuel: {type: string}}
)");
    ASSERT_EQ(call("POST", kAll, to_text(definition)).status, 201);
  }
  void post(const std::string& path, const std::string& name) {
    const Json train{{"metadata", {{"name", name}}}, {"spec", JsonObject()}};
    ASSERT_EQ(call("POST", path, to_text(train)).status, 201);
  }
  /// Gives `fuel` a default, in the version that is stored.
  void add_default() {
    const std::string path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    const std::string patch =
        R"([{"op":"add","path":")" + path + R"(/fuel/default","value":"coal"}])";
    ASSERT_EQ(call("PATCH", kOne, patch, {{"Content-Type", "application/json-patch+json"}}).status,
              200);
  }
};

TEST_F(DefinitionsTest, AnotherVersionIsStoredWithTheDefaultsOfTheStoredOne) {
  post(kOld, "plain");
  EXPECT_EQ(int_at(body_of(call("GET", kNew + "/plain")), "spec.wagons"), 4);
  const Json old = body_of(call("GET", kOld + "/plain"));
  EXPECT_EQ(string_at(old, "apiVersion"), "rail.example.com/v1alpha1");
}

TEST_F(DefinitionsTest, WhatWasStoredBeforeIsReadWithTheDefaultsOfNow) {
  post(kNew, "early");
  EXPECT_EQ(find(body_of(call("GET", kNew + "/early")), "spec.fuel"), nullptr);
  add_default();
  EXPECT_EQ(string_at(body_of(call("GET", kNew + "/early")), "spec.fuel"), "coal");
  const Json list = body_of(call("GET", kNew));
  EXPECT_EQ(string_at(array_at(list, "items").at(0), "spec.fuel"), "coal");
  const std::int64_t before = store_->revision();
  const auto patched = call("PATCH", kNew + "/early", R"({"metadata":{"labels":{"a":"b"}}})",
                            {{"Content-Type", "application/merge-patch+json"}});
  EXPECT_EQ(int_at(body_of(patched), "metadata.generation"), 1) << "defaults are no wish";
  EXPECT_EQ(store_->revision(), before + 1);
}

TEST_F(DefinitionsTest, ADefinitionThatIsGoingSaysSo) {
  post(kNew, "last");
  ASSERT_EQ(call("DELETE", kOne).status, 200);
  const Json going = body_of(call("GET", kOne));
  const Json last = array_at(going, "status.conditions").back();
  EXPECT_EQ(string_at(last, "type"), "Terminating");
  EXPECT_EQ(string_at(last, "status"), "True");
  EXPECT_EQ(call("POST", kNew, R"({"metadata":{"name":"late"}})").status, 405);
}

}  // namespace
}  // namespace trainyard::server
