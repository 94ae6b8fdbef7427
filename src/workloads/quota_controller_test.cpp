#include "workloads/quota_controller.h"

#include "workloads/account_controller.h"
#include "workloads/apps/apps.h"
#include "workloads/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

class QuotaTest : public testing::Test {
 protected:
  QuotaTest()
      : kinds_(world_.loop.executor(), world_.api, world_.clock,
               {{kPods, "Pod", true},
                {kConfigMaps, "ConfigMap", true},
                {kDeployments, "Deployment", true}}),
        controller_(world_.loop.executor(), world_.api, world_.clock, kinds_) {
    controller_.start();
    kinds_.start();
  }
  ~QuotaTest() override {
    world_.loop.run(kinds_.stop());
    world_.loop.run(controller_.stop());
  }
  void put_quota(JsonObject hard) {
    Json quota = make_object("v1", "ResourceQuota", "team", "q");
    make_path(quota, "spec.hard") = std::move(hard);
    world_.api.put(kResourceQuotas, std::move(quota));
    world_.pass(1s);
  }
  void put_pod(const std::string& ns, const std::string& name) {
    Json pod = make_object("v1", "Pod", ns, name);
    make_path(pod, "spec.containers") = JsonArray{
        {{"name", "c"}, {"resources", {{"requests", {{"cpu", "500m"}, {"memory", "1Gi"}}}}}}};
    world_.api.put(kPods, std::move(pod));
  }
  JsonObject used() {
    return object_at(world_.api.find(kResourceQuotas, Key{"team", "q"})->body(), "status.used");
  }

  TestWorld world_;
  ServedKinds kinds_;
  QuotaController controller_;
};

TEST_F(QuotaTest, CountsWhatIsThereAndWhatComesAndGoes) {
  put_pod("team", "a");
  put_pod("other", "x");
  put_quota({{"requests.cpu", "4"}, {"requests.memory", "8Gi"}, {"pods", "10"}});
  EXPECT_EQ(used(),
            (JsonObject{{"requests.cpu", "500m"}, {"requests.memory", "1Gi"}, {"pods", "1"}}));
  put_pod("team", "b");
  world_.pass(1s);
  EXPECT_EQ(used().at("requests.cpu"), "1");
  world_.api.erase(kPods, Key{"team", "a"});
  world_.api.erase(kPods, Key{"team", "b"});
  world_.pass(1s);
  EXPECT_EQ(used().at("pods"), "0");
  EXPECT_EQ(object_at(world_.api.find(kResourceQuotas, Key{"team", "q"})->body(), "status.hard"),
            (JsonObject{{"requests.cpu", "4"}, {"requests.memory", "8Gi"}, {"pods", "10"}}));
}

TEST_F(QuotaTest, FollowsTheKindsThatAQuotaComesToSpeakOf) {
  put_quota({{"pods", "10"}});
  world_.api.put(kDeployments, make_object("apps/v1", "Deployment", "team", "d"));
  put_quota(
      {{"count/deployments.apps", "3"}, {"configmaps", "5"}, {"count/unknown.example.com", "1"}});
  EXPECT_EQ(used(), (JsonObject{{"count/deployments.apps", "1"}, {"configmaps", "0"}}));
  world_.api.put(kConfigMaps, make_object("v1", "ConfigMap", "team", "c"));
  world_.pass(1s);
  EXPECT_EQ(used().at("configmaps"), "1");
}

TEST_F(QuotaTest, CountsOnceForManyChanges) {
  put_quota({{"pods", "100"}});
  const std::size_t lists = world_.api.calls("list");
  for (int i = 0; i < 50; ++i) put_pod("team", fmt::format("p{}", i));
  world_.pass(1s);
  EXPECT_EQ(used().at("pods"), "50");
  EXPECT_LE(world_.api.calls("list") - lists, 3U);
}

}  // namespace
}  // namespace trainyard::workloads
