#include "server/admission/system_fields.h"

#include "server/local_api.h"
#include "server/test_server.h"
#include "server/test_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

const std::string kPodsUrl = "/api/v1/namespaces/default/pods";

class SystemFieldsTest : public ServerTest {
 protected:
  SystemFieldsTest() : ours_(verbs_, reviews_) {}

  static Json annotated_pod(const std::string& name, const std::string& gpus) {
    Json pod = make_pod(name);
    make_path(pod, "metadata.annotations") =
        JsonObject{{"trainyard.dev/gpus", gpus}, {"mine", "kept"}};
    return pod;
  }
  /// A pod that the scheduler has given GPU 3.
  void make_placed(const std::string& name) {
    ASSERT_TRUE(create(kPods, make_pod(name)));
    ASSERT_TRUE(loop_.run(
        ours_.patch(kPods, {"default", name}, client::PatchType::kMerge,
                    Json{{"metadata", {{"annotations", {{"trainyard.dev/gpus", "3"}}}}}}, "")));
    ASSERT_EQ(gpus_of(name), "3");
  }
  std::string gpus_of(const std::string& name) {
    return std::string(annotation_of(get(kPods, name), "trainyard.dev/gpus"));
  }
  http::Response patch_as(const std::string& type, const std::string& body) {
    const bool applies = type == "application/apply-patch+yaml";
    return call("PATCH", kPodsUrl + "/a?fieldManager=test" + (applies ? "&force=true" : ""), body,
                {{"Content-Type", type}});
  }

  LocalApi ours_;
};

TEST_F(SystemFieldsTest, ANewObjectOfAUsersHasNone) {
  const auto made = call("POST", kPodsUrl, to_text(annotated_pod("a", "0,1")));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(gpus_of("a"), "");
  EXPECT_EQ(annotation_of(get(kPods, "a"), "mine"), "kept");
  const std::string warning(made.headers.find("Warning").value_or(""));
  EXPECT_NE(warning.find("only the scheduler writes it"), std::string::npos) << warning;
}

TEST_F(SystemFieldsTest, NoWayOfWritingChangesWhatIsStored) {
  make_placed("a");
  const Json annotations{{"annotations", {{"trainyard.dev/gpus", "0"}, {"mine", "kept"}}}};
  const std::string merge = to_text(Json{{"metadata", annotations}});
  for (const char* type :
       {"application/merge-patch+json", "application/strategic-merge-patch+json"}) {
    const auto answer = patch_as(type, merge);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(gpus_of("a"), "3") << type;
    EXPECT_EQ(annotation_of(get(kPods, "a"), "mine"), "kept") << type;
    EXPECT_TRUE(answer.headers.find("Warning")) << type;
  }
  for (const char* gone : {R"({"metadata":{"annotations":null}})",
                           R"({"metadata":{"annotations":{"trainyard.dev/gpus":null}}})"}) {
    EXPECT_EQ(patch_as("application/merge-patch+json", gone).status, 200);
    EXPECT_EQ(gpus_of("a"), "3") << gone;
  }
  EXPECT_EQ(patch_as("application/json-patch+json",
                     R"([{"op":"replace","path":"/metadata/annotations/trainyard.dev~1gpus",)"
                     R"("value":"0"}])")
                .status,
            200);
  EXPECT_EQ(gpus_of("a"), "3");
  EXPECT_EQ(patch_as("application/apply-patch+yaml",
                     R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","annotations":)"
                     R"({"trainyard.dev/gpus":"0"}}})")
                .status,
            200);
  EXPECT_EQ(gpus_of("a"), "3");
  Json whole = get(kPods, "a");
  make_path(whole, "metadata.annotations") = JsonObject{{"trainyard.dev/gpus", "0"}};
  EXPECT_EQ(call("PUT", kPodsUrl + "/a", to_text(whole)).status, 200);
  EXPECT_EQ(gpus_of("a"), "3");
}

TEST_F(SystemFieldsTest, WhatWasReadCanBeSentBack) {
  make_placed("a");
  const Json whole = get(kPods, "a");
  const auto answer = call("PUT", kPodsUrl + "/a", to_text(whole));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_FALSE(answer.headers.find("Warning"));
}

TEST_F(SystemFieldsTest, ControllersMakePodsWithTheirOwnAndNeverWithGpus) {
  Json pod = annotated_pod("made", "0");  // as from a user's template
  make_path(pod, "metadata.annotations").get_object()["trainyard.dev/restarts"] = "2";
  ASSERT_TRUE(loop_.run(ours_.create(kPods, "default", pod)));
  EXPECT_EQ(gpus_of("made"), "");
  EXPECT_EQ(annotation_of(get(kPods, "made"), "trainyard.dev/restarts"), "2");
}

TEST_F(SystemFieldsTest, ABindingOverHttpGivesNoGpus) {
  Json pod = make_pod("a");
  make_path(pod, "spec.containers").get_array()[0].get_object()["resources"] =
      Json{{"limits", {{"nvidia.com/gpu", "1"}}}};
  ASSERT_TRUE(create(kPods, pod));
  const auto bound =
      call("POST", kPodsUrl + "/a/binding",
           R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"a",)"
           R"("annotations":{"trainyard.dev/gpus":"0"}},"target":{"name":"node-0"}})");
  EXPECT_EQ(bound.status, 422) << bound.body;
  EXPECT_NE(bound.body.find("asks for 1 GPUs"), std::string::npos) << bound.body;
  EXPECT_EQ(string_at(get(kPods, "a"), "spec.nodeName"), "");
}

}  // namespace
}  // namespace trainyard::server
