#include "server/test_server.h"
#include "server/test_store.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

const Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles"};
const Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings"};
const Resource kJobs{"batch.tensorstack.dev", "v1beta1", "pytorchtrainingjobs"};
const std::string kPath = "/api/v1/pods?progress=true";
const std::vector<contract::LogFolderSource> kLog{{"data", "log"}};

/// Two jobs, `a` with event files, that have a pod each: `a-0` and `b-0`.
class RestProgressTest : public ServerTest {
 protected:
  RestProgressTest() {
    Json job = make_job("a");
    job.get_object()["spec"].get_object()["tensorboardSpec"] =
        from_yaml("{image: tensorboard, logDir: {pvc: [{name: data, subPath: [log]}]}}");
    add("a", std::move(job));
    add("b", make_job("b"));
  }
  void add(const std::string& name, Json job) {
    const auto made = create(kJobs, std::move(job));
    ASSERT_TRUE(made) << made.error().message();
    uids_[name] = uid_of((*made)->body());
    add_pod(name + "-0", owner_reference((*made)->body()));
  }
  void add_pod(const std::string& name, Json owner) {
    Json pod = make_pod(name, {{"replica-index", "0"}});
    pod.get_object()["metadata"].get_object()["ownerReferences"] = JsonArray{std::move(owner)};
    const auto made = create(kPods, std::move(pod));
    ASSERT_TRUE(made) << made.error().message();
  }
  /// Ann may list pods and read their logs, and besides `get` these.
  http::Response ask_as_ann(const std::string& resources) {
    EXPECT_TRUE(create(
        kClusterRoles,
        from_yaml(fmt::format("{{metadata: {{name: given}}, rules: [{{apiGroups: ['*'], resources: "
                              "[pods], verbs: [list]}}, {{apiGroups: ['*'], resources: [{}], "
                              "verbs: [get]}}]}}",
                              resources))));
    EXPECT_TRUE(create(
        kClusterRoleBindings,
        from_yaml(
            "{metadata: {name: given}, subjects: [{kind: User, name: ann}],"
            " roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: given}}")));
    FakeWriter writer;
    http::Request request = make_request("GET", kPath, "", {});
    loop_.run(handler_.handle_as(make_user("ann"), std::move(request), writer));
    return writer.response;
  }
  std::map<std::string, std::string> uids_;
};

TEST_F(RestProgressTest, NamesTheJobAndLooksWhereItsEventFilesAre) {
  const Json all = body_of(call("GET", kPath));
  ASSERT_EQ(array_at(all, "items").size(), 2U);
  const Json& first = array_at(all, "items")[0];
  EXPECT_EQ(string_at(first, "metadata.name"), "a-0");
  EXPECT_EQ(string_at(first, "owner"), uids_["a"]);
  EXPECT_EQ(to_text(*find(first, "progress")), R"({"share":0.5})");
  EXPECT_EQ(progresses_.seen["a-0"], kLog);
  EXPECT_TRUE(progresses_.seen["b-0"].empty());
}

TEST_F(RestProgressTest, IsToldOfTheJobsThatAreAskedFor) {
  const Json one = body_of(call("GET", kPath + "&job=" + uids_["b"] + "&job=gone"));
  ASSERT_EQ(array_at(one, "items").size(), 1U);
  EXPECT_EQ(string_at(array_at(one, "items")[0], "owner"), uids_["b"]);
  EXPECT_FALSE(progresses_.seen.contains("a-0"));
  EXPECT_TRUE(
      array_at(body_of(call("GET", kPath + "&labelSelector=replica-index%3D1")), "items").empty());
}

TEST_F(RestProgressTest, APodOfAnEarlierJobOfThatNameSaysNothingOfEventFiles) {
  Json owner = owner_reference(get(kJobs, "a"));
  owner.get_object()["uid"] = "an earlier one";
  add_pod("old-0", std::move(owner));
  call("GET", kPath);
  EXPECT_TRUE(progresses_.seen.at("old-0").empty());
}

TEST_F(RestProgressTest, IsNotForWhoMayNotReadLogs) {
  EXPECT_EQ(ask_as_ann("pytorchtrainingjobs, persistentvolumeclaims").status, 403);
  EXPECT_TRUE(progresses_.seen.empty());
}

TEST_F(RestProgressTest, WhoMayNotGetTheVolumeIsToldWhatTheLogSays) {
  EXPECT_EQ(array_at(body_of(ask_as_ann("pods/log, pytorchtrainingjobs")), "items").size(), 2U);
  EXPECT_TRUE(progresses_.seen.at("a-0").empty());
}

TEST_F(RestProgressTest, WhoMayNotGetTheJobIsToldWhatTheLogSays) {
  EXPECT_EQ(array_at(body_of(ask_as_ann("pods/log, persistentvolumeclaims")), "items").size(), 2U);
  EXPECT_TRUE(progresses_.seen.at("a-0").empty());
}

TEST_F(RestProgressTest, WhoMayGetBothIsToldWhatTheEventFilesSay) {
  EXPECT_EQ(ask_as_ann("pods/log, pytorchtrainingjobs, persistentvolumeclaims").status, 200);
  EXPECT_EQ(progresses_.seen.at("a-0"), kLog);
}

}  // namespace
}  // namespace trainyard::server
