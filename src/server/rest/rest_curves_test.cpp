#include "server/test_server.h"
#include "server/test_store.h"

#include <fmt/format.h>

#include <cmath>

namespace trainyard::server {
namespace {

const Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles"};
const Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings"};
const Resource kJobs{"batch.tensorstack.dev", "v1beta1", "pytorchtrainingjobs"};
const std::string kPath =
    "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/a/curves";

class RestCurvesTest : public ServerTest {
 protected:
  RestCurvesTest() {
    Json job = make_job("a");
    job.get_object()["spec"].get_object()["tensorboardSpec"] =
        from_yaml("{image: tensorboard, logDir: {pvc: [{name: data, subPath: [log]}]}}");
    const auto made = create(kJobs, std::move(job));
    EXPECT_TRUE(made) << (made ? "" : made.error().message());
  }
  void grant(const std::string& resources) {
    ASSERT_TRUE(create(kClusterRoles,
                       from_yaml(fmt::format("{{metadata: {{name: given}}, rules: [{{apiGroups: "
                                             "['*'], resources: [{}], verbs: [get]}}]}}",
                                             resources))));
    ASSERT_TRUE(create(
        kClusterRoleBindings,
        from_yaml(
            "{metadata: {name: given}, subjects: [{kind: User, name: ann}],"
            " roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: given}}")));
  }
  int status_for_ann() {
    FakeWriter writer;
    http::Request request = make_request("GET", kPath, "", {});
    loop_.run(handler_.handle_as(make_user("ann"), std::move(request), writer));
    return writer.response.status;
  }
};

TEST_F(RestCurvesTest, TellsWhatThereIs) {
  curves_.answer.runs.push_back(
      {".",
       "7.0",
       {{"train/loss", 3, {20, 1.5, 0.1F}, 0.1F, 2.5}, {"odd", 1, {1, 2, NAN}, 1, -1}}});
  curves_.answer.warnings = {"1 damaged record was skipped"};
  const auto answer = call("GET", kPath);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json body = body_of(answer);
  EXPECT_EQ(to_text(*find(body, "folders")), R"([{"volume":"data","path":"log"}])");
  EXPECT_EQ(
      to_text(array_at(body, "runs")[0]),
      R"({"name":".","version":"7.0","curves":[{"tag":"train/loss","points":3,"last":{"step":20,)"
      R"("time":1.5,"value":0.1},"least":0.1,"greatest":2.5},)"
      R"({"tag":"odd","points":1,"last":{"step":1,"time":2,"value":"NaN"}}]})");
  EXPECT_EQ(to_text(*find(body, "warnings")), R"(["1 damaged record was skipped"])");
  ASSERT_TRUE(curves_.asked);
  EXPECT_EQ(curves_.asked->ns, "default");
  EXPECT_EQ(curves_.asked->folders, (std::vector<contract::LogFolderSource>{{"data", "log"}}));
}

TEST_F(RestCurvesTest, TellsPoints) {
  curves_.answer.curves.push_back(
      {"r", "7.1", "t", 4, {{1, 10.25, 0.5}, {2, 11, 1e300}, {3, 12, -INFINITY}}});
  const auto answer = call("GET", kPath + "?tag=t&tag=u,v&run=r&points=50&since=-3&until=9");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(to_text(array_at(body_of(answer), "curves")[0]),
            R"({"run":"r","tag":"t","version":"7.1","points":4,"steps":[1,2,3],)"
            R"("times":[10.25,11,12],"values":[0.5,1e+300,"-Infinity"]})");
  EXPECT_EQ(curves_.asked->tags, (std::vector<std::string>{"t", "u,v"}));
  EXPECT_EQ(curves_.asked->runs, (std::vector<std::string>{"r"}));
  EXPECT_EQ(curves_.asked->points, 50U);
  EXPECT_EQ(curves_.asked->since, -3);
  EXPECT_EQ(curves_.asked->until, 9);
}

TEST_F(RestCurvesTest, RefusesWhatItCannotRead) {
  for (const char* query :
       {"?points=7", "?points=10001", "?points=x", "?since=first", "?until=1.5"}) {
    EXPECT_EQ(call("GET", kPath + query).status, 400) << query;
  }
  EXPECT_EQ(call("POST", kPath, "{}").status, 404);
  EXPECT_EQ(call("GET", "/api/v1/namespaces/default/configmaps/a/curves").status, 404);
  EXPECT_FALSE(curves_.asked);
}

TEST_F(RestCurvesTest, AreForNoStranger) {
  EXPECT_EQ(status_for_ann(), 403);
  EXPECT_FALSE(curves_.asked);
}

TEST_F(RestCurvesTest, AreNotForWhoMayGetTheJobButNotTheVolume) {
  grant("pytorchtrainingjobs");
  EXPECT_EQ(status_for_ann(), 403);
  EXPECT_FALSE(curves_.asked);
}

TEST_F(RestCurvesTest, AreForWhoMayGetTheJobAndTheVolume) {
  grant("pytorchtrainingjobs, persistentvolumeclaims");
  EXPECT_EQ(status_for_ann(), 200);
}

}  // namespace
}  // namespace trainyard::server
