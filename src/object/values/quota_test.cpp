#include "object/values/quota.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

const Resource kConfigMaps{"", "v1", "configmaps"};
const Resource kDeployments{"apps", "v1", "deployments"};

Json container(JsonObject requests, JsonObject limits = {}) {
  return {{"name", "c"},
          {"resources", {{"requests", std::move(requests)}, {"limits", std::move(limits)}}}};
}

Json pod(JsonArray containers, JsonArray init = {}) {
  return {{"spec", {{"containers", std::move(containers)}, {"initContainers", std::move(init)}}}};
}

/// As it is written into an object.
JsonObject usage_of(const Json& object, const Resource& resource) {
  JsonObject usage;
  for (const auto& [name, amount] : quota_usage(object, resource)) usage[name] = amount.to_text();
  return usage;
}

TEST(QuotaUsage, AddsUpTheContainersOfAPod) {
  const Json object =
      pod({container({{"cpu", "500m"}, {"memory", "1Gi"}}, {{"cpu", 1}, {"memory", "2Gi"}}),
           container({{"cpu", "700m"}, {"nvidia.com/gpu", 2}})});
  EXPECT_EQ(usage_of(object, kPods), (JsonObject{{"count/pods", "1"},
                                                 {"cpu", "1200m"},
                                                 {"limits.cpu", "1"},
                                                 {"limits.memory", "2Gi"},
                                                 {"memory", "1Gi"},
                                                 {"pods", "1"},
                                                 {"requests.cpu", "1200m"},
                                                 {"requests.memory", "1Gi"},
                                                 {"requests.nvidia.com/gpu", "2"}}));
}

TEST(QuotaUsage, TakesALimitForTheRequestThatIsNotStated) {
  const JsonObject usage = usage_of(pod({container({}, {{"memory", "2Gi"}})}), kPods);
  EXPECT_EQ(usage.at("requests.memory"), "2Gi");
}

TEST(QuotaUsage, CountsInitContainersAtTheirWorstMoment) {
  Json sidecar = container({{"cpu", "100m"}});
  sidecar.get_object()["restartPolicy"] = "Always";
  const Json object = pod({container({{"cpu", 1}})}, {sidecar, container({{"cpu", 2}})});
  EXPECT_EQ(usage_of(object, kPods).at("requests.cpu"), "2100m");
  const Json small = pod({container({{"cpu", 3}})}, {sidecar, container({{"cpu", 2}})});
  EXPECT_EQ(usage_of(small, kPods).at("requests.cpu"), "3100m");
}

TEST(QuotaUsage, CountsAPodThatHasEndedOnlyAsAnObject) {
  Json object = pod({container({{"cpu", 1}})});
  make_path(object, "status.phase") = "Succeeded";
  EXPECT_EQ(usage_of(object, kPods), (JsonObject{{"count/pods", "1"}}));
}

TEST(QuotaUsage, CountsObjectsByTheirNames) {
  EXPECT_EQ(usage_of(JsonObject(), kConfigMaps),
            (JsonObject{{"configmaps", "1"}, {"count/configmaps", "1"}}));
  EXPECT_EQ(usage_of(JsonObject(), kDeployments), (JsonObject{{"count/deployments.apps", "1"}}));
}

TEST(QuotaUsage, CountsStorageAlsoByItsClass) {
  const Json claim{
      {"spec",
       {{"storageClassName", "local"}, {"resources", {{"requests", {{"storage", "10Gi"}}}}}}}};
  EXPECT_EQ(usage_of(claim, kVolumeClaims),
            (JsonObject{{"count/persistentvolumeclaims", "1"},
                        {"local.storageclass.storage.k8s.io/persistentvolumeclaims", "1"},
                        {"local.storageclass.storage.k8s.io/requests.storage", "10Gi"},
                        {"persistentvolumeclaims", "1"},
                        {"requests.storage", "10Gi"}}));
}

TEST(QuotaUsage, CountsThePortsThatServicesTakeOnNodes) {
  const Json service{
      {"spec", {{"type", "NodePort"}, {"ports", JsonArray{{{"port", 80}}, {{"port", 443}}}}}}};
  EXPECT_EQ(usage_of(service, kServices).at("services.nodeports"), "2");
}

TEST(QuotaUsage, OfOneQuotaIsWhatItBounds) {
  const Json object = pod({container({{"cpu", 1}, {"memory", "1Gi"}})});
  Json quota{{"spec", {{"hard", {{"requests.cpu", 4}, {"configmaps", 1}}}}}};
  const Amounts usage = quota_usage(object, kPods, quota);
  ASSERT_EQ(usage.size(), 1U);
  EXPECT_EQ(usage.at("requests.cpu"), Quantity::of(1));
  make_path(quota, "spec.scopes") = JsonArray{"BestEffort"};
  EXPECT_TRUE(quota_usage(object, kPods, quota).empty());
}

TEST(MissingForQuota, NamesWhatAContainerLeavesOpen) {
  const auto bounded = [](JsonObject hard) -> Json {
    return {{"spec", {{"hard", std::move(hard)}}}};
  };
  const Json quota = bounded({{"limits.cpu", 1}, {"requests.memory", 1}, {"pods", 1}});
  Json silent = container({});
  silent.get_object()["name"] = "b";
  EXPECT_EQ(missing_for_quota(quota, pod({container({}, {{"cpu", 1}}), silent})),
            "must specify limits.cpu for: b; requests.memory for: b,c");
  EXPECT_EQ(missing_for_quota(quota, pod({container({}, {{"cpu", 1}, {"memory", 1}})})), "");
  EXPECT_EQ(missing_for_quota(bounded({{"requests.nvidia.com/gpu", 1}}), pod({silent})), "");
}

bool in_scope(Json spec, const Json& object, const Resource& resource = kPods) {
  return matches_scopes(Json{{"spec", std::move(spec)}}, object, resource);
}

TEST(MatchesScopes, CountsEverythingWhenThereAreNone) {
  EXPECT_TRUE(in_scope(JsonObject(), JsonObject(), kConfigMaps));
}

TEST(MatchesScopes, CountsOnlyPodsToWhichAllApply) {
  const Json lazy = pod({container({})});
  Json busy = pod({container({{"cpu", 1}})});
  make_path(busy, "spec.activeDeadlineSeconds") = 10;
  EXPECT_TRUE(in_scope({{"scopes", {"BestEffort", "NotTerminating"}}}, lazy));
  EXPECT_TRUE(in_scope({{"scopes", {"BestEffort"}}}, pod({container({{"cpu", "0"}})})));
  EXPECT_FALSE(in_scope({{"scopes", {"BestEffort"}}}, busy));
  EXPECT_TRUE(in_scope({{"scopes", {"NotBestEffort", "Terminating"}}}, busy));
  EXPECT_FALSE(in_scope({{"scopes", {"BestEffort"}}}, lazy, kConfigMaps));
}

TEST(MatchesScopes, ComparesThePriorityClass) {
  Json urgent = pod({container({})});
  make_path(urgent, "spec.priorityClassName") = "high";
  const auto selector = [](const char* op, JsonArray values) -> Json {
    JsonObject expression{
        {"scopeName", "PriorityClass"}, {"operator", op}, {"values", std::move(values)}};
    return {{"scopeSelector", {{"matchExpressions", JsonArray{std::move(expression)}}}}};
  };
  EXPECT_TRUE(in_scope(selector("In", {"high", "low"}), urgent));
  EXPECT_FALSE(in_scope(selector("NotIn", {"high"}), urgent));
  EXPECT_TRUE(in_scope(selector("Exists", {}), urgent));
  EXPECT_FALSE(in_scope(selector("In", {"low"}), urgent));
}

TEST(ResourceBehind, KnowsWhoseObjectsCountUnderAName) {
  EXPECT_EQ(resource_behind("requests.nvidia.com/gpu").plural, "pods");
  EXPECT_EQ(resource_behind("limits.memory").plural, "pods");
  EXPECT_EQ(resource_behind("requests.storage").plural, "persistentvolumeclaims");
  EXPECT_EQ(resource_behind("services.nodeports").plural, "services");
  EXPECT_EQ(resource_behind("count/jobs.batch"), (Resource{"batch", "", "jobs"}));
  EXPECT_EQ(resource_behind("count/secrets"), (Resource{"", "", "secrets"}));
  EXPECT_EQ(resource_behind("nonsense").plural, "");
}

}  // namespace
}  // namespace trainyard
