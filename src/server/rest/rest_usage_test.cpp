#include "server/test_server.h"

#include <limits>

namespace trainyard::server {
namespace {

constexpr const char* kPath = "/apis/usage.trainyard.dev/v1/namespaces/default/podusages";

class RestUsageTest : public ServerTest {
 protected:
  RestUsageTest() {
    histories_.answer.recorded_since = clock_.wall();
    histories_.answer.from = clock_.wall();
    histories_.answer.step = std::chrono::seconds(2);
  }

  void record(const std::string& pod) {
    constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
    contract::UsageHistory history;
    history.pod = {"default", pod};
    history.begin = clock_.wall();
    history.usage.push_back({"cpu", {kUnknown, 0.25F}, {kUnknown, 0.125F}, {kUnknown, 1}});
    history.usage.push_back({"memory", {kUnknown, 65536}, {kUnknown, 0}, {kUnknown, 65536}});
    history.limits.push_back({"nvidia.com/gpu", {kUnknown, 2}});
    histories_.answer.items.push_back(std::move(history));
  }
};

TEST_F(RestUsageTest, TellsWhatPodsHaveUsed) {
  record("a");
  const auto answer = call("GET", kPath);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json list = body_of(answer);
  EXPECT_EQ(string_at(list, "kind"), "PodUsageList");
  const Json& item = array_at(list, "items")[0];
  EXPECT_EQ(string_at(item, "metadata.name"), "a");
  EXPECT_EQ(int_at(item, "stepSeconds"), 2);
  EXPECT_EQ(to_text(*find(item, "usage.cpu")),
            R"({"mean":[null,0.25],"low":[null,0.125],"high":[null,1]})");
  EXPECT_EQ(to_text(*find(item, "usage.memory.mean")), "[null,65536]");
  EXPECT_EQ(to_text(object_at(item, "limits").at("nvidia.com/gpu")), "[null,2]");
}

TEST_F(RestUsageTest, PassesTheQuestionOn) {
  const auto answer = call(
      "GET", std::string(kPath) +
                 "?owner=u1&node=n&labelSelector=app%3Dx&points=7&sum=true&pod=p&metrics=cpu,memory"
                 "&job=fit&container=main&step=30"
                 "&from=2026-11-16T01:02:03Z&to=2026-11-16T01:02:04.5Z");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(histories_.asked.ns, "default");
  EXPECT_EQ(histories_.asked.owner, "u1");
  EXPECT_EQ(histories_.asked.node, "n");
  EXPECT_EQ(histories_.asked.labels.to_text(), "app=x");
  EXPECT_EQ(histories_.asked.points, 7U);
  EXPECT_EQ(histories_.asked.name, "p");
  EXPECT_EQ(histories_.asked.metrics, (std::vector<std::string>{"cpu", "memory"}));
  EXPECT_EQ(histories_.asked.together, contract::Together::kSum);
  EXPECT_EQ(histories_.asked.job, "fit");
  EXPECT_EQ(histories_.asked.container, "main");
  EXPECT_EQ(histories_.asked.step, std::chrono::seconds(30));
  EXPECT_EQ(*histories_.asked.to - *histories_.asked.from, std::chrono::milliseconds(1500));
}

TEST_F(RestUsageTest, SaysSinceWhenAlsoWhenThereIsNothing) {
  const Json list = body_of(call("GET", kPath));
  EXPECT_EQ(string_at(list, "recordedSince"), format_time_micro(clock_.wall()));
  EXPECT_TRUE(array_at(list, "items").empty());
  const auto one = call("GET", std::string(kPath) + "/a");
  EXPECT_EQ(one.status, 404) << one.body;
}

TEST_F(RestUsageTest, KnowsHowPodsBecomeOne) {
  using contract::Together;
  for (const auto& [name, how] : {std::pair{"sum", Together::kSum},
                                  {"mean", Together::kMean},
                                  {"min", Together::kLeast},
                                  {"max", Together::kGreatest}}) {
    ASSERT_EQ(call("GET", std::string(kPath) + "?aggregate=" + name).status, 200);
    EXPECT_EQ(histories_.asked.together, how) << name;
  }
}

TEST_F(RestUsageTest, SaysHowManyPodsItLeavesOut) {
  histories_.answer.left_out = 3;
  EXPECT_EQ(int_at(body_of(call("GET", kPath)), "metadata.remainingItemCount"), 3);
}

TEST_F(RestUsageTest, RefusesWhatItCannotRead) {
  for (const char* query :
       {"?points=0", "?points=4001", "?points=x", "?from=yesterday", "?to=1",
        "?labelSelector=a%3D%3D%3D", "?aggregate=median", "?step=0", "?step=9999999999"}) {
    EXPECT_EQ(call("GET", kPath + std::string(query)).status, 400) << query;
  }
}

TEST_F(RestUsageTest, IsATableForPeople) {
  record("a");
  const auto answer =
      call("GET", kPath, "", {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json table = body_of(answer);
  EXPECT_EQ(string_at(table, "kind"), "Table");
  EXPECT_EQ(array_at(array_at(table, "rows")[0], "cells")[0], "a");
}

TEST_F(RestUsageTest, CannotBeWritten) {
  EXPECT_EQ(call("POST", kPath, "{}").status, 405);
}

}  // namespace
}  // namespace trainyard::server
