#include "server/admission/quota_ledger.h"

#include "server/test_server.h"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

namespace trainyard::server {
namespace {

const Resource kQuotas{"", "v1", "resourcequotas"};

class QuotaLedgerTest : public ServerTest {
 protected:
  void put_quota(JsonObject hard, JsonArray scopes = {}) {
    Json quota{{"apiVersion", "v1"},
               {"kind", "ResourceQuota"},
               {"metadata", {{"name", "team"}}},
               {"spec", {{"hard", std::move(hard)}}}};
    if (!scopes.empty()) make_path(quota, "spec.scopes") = std::move(scopes);
    const auto made = create(kQuotas, std::move(quota));
    ASSERT_TRUE(made) << made.error().message();
  }
  static Json pod_asking(const std::string& name, JsonObject requests) {
    Json pod = make_pod(name);
    Json& container = find(pod, "spec.containers")->get_array().at(0);
    make_path(container, "resources.requests") = std::move(requests);
    return pod;
  }
  static Json claim_of(const std::string& size) {
    return {{"apiVersion", "v1"},
            {"kind", "PersistentVolumeClaim"},
            {"metadata", {{"name", "data"}}},
            {"spec",
             {{"accessModes", {"ReadWriteOnce"}},
              {"storageClassName", "local"},
              {"resources", {{"requests", {{"storage", size}}}}}}}};
  }
  static std::string why(const Result<ObjectPtr>& refused) {
    return refused.failed_with(Code::kForbidden) ? refused.error().message() : "not forbidden";
  }
  bool takes_maps(int count, const std::string& prefix) {
    for (int i = 0; i < count; ++i) {
      if (!create(kConfigMaps, make_config_map(fmt::format("{}{}", prefix, i)))) return false;
    }
    return true;
  }
};

TEST_F(QuotaLedgerTest, RefusesWhatWouldExceedAQuotaAndSaysByHowMuch) {
  ASSERT_TRUE(create(kPods, pod_asking("before", {{"cpu", "500m"}, {"memory", "1Gi"}})));
  put_quota({{"requests.cpu", "1"}, {"requests.memory", "8Gi"}, {"pods", 3}});
  EXPECT_EQ(why(create(kPods, pod_asking("big", {{"cpu", "600m"}, {"memory", "1Gi"}}))),
            "pods \"big\" is forbidden: exceeded quota: team, requested: requests.cpu=600m, "
            "used: requests.cpu=500m, limited: requests.cpu=1");
  EXPECT_EQ(why(create(kPods, pod_asking("huge", {{"cpu", "1"}, {"memory", "9Gi"}}))),
            "pods \"huge\" is forbidden: exceeded quota: team, "
            "requested: requests.cpu=1,requests.memory=9Gi, "
            "used: requests.cpu=500m,requests.memory=1Gi, "
            "limited: requests.cpu=1,requests.memory=8Gi");
  EXPECT_TRUE(create(kPods, pod_asking("fits", {{"cpu", "500m"}, {"memory", "1Gi"}})));
}

TEST_F(QuotaLedgerTest, ManyAtOnceCannotExceedItTogether) {
  put_quota({{"count/configmaps", 7}});
  int made = 0;
  int refused = 0;
  for (int i = 0; i < 50; ++i) {
    boost::asio::co_spawn(
        loop_.executor(),
        verbs_.create(kind_of(kConfigMaps), "default", make_config_map(fmt::format("m{}", i)), {}),
        [&](const std::exception_ptr&, const Result<ObjectPtr>& result) {
          ++(result ? made : refused);
        });
  }
  loop_.run_until([&] { return made + refused == 50; });
  EXPECT_EQ(made, 7);
  ASSERT_TRUE(remove(kConfigMaps, "m0"));
  EXPECT_TRUE(create(kConfigMaps, make_config_map("again"))) << "nothing is held for ever";
  EXPECT_FALSE(create(kConfigMaps, make_config_map("more")));
}

TEST_F(QuotaLedgerTest, WhatHasGoneOrEndedMayBeUsedAtOnce) {
  put_quota({{"pods", 1}});
  for (int i = 0; i < 3; ++i) {
    const std::string name = fmt::format("p{}", i);
    ASSERT_TRUE(create(kPods, make_pod(name)));
    EXPECT_FALSE(create(kPods, make_pod("second")));
    if (i == 1) {
      ASSERT_TRUE(patch(kPods, name, {{"status", {{"phase", "Succeeded"}}}}, Part::kStatus));
    } else {
      ASSERT_TRUE(remove(kPods, name));
    }
  }
}

TEST_F(QuotaLedgerTest, ANameThatIsTakenIsSaidToBe) {
  put_quota({{"configmaps", 1}});
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  EXPECT_TRUE(create(kConfigMaps, make_config_map("a")).failed_with(Code::kAlreadyExists));
}

TEST_F(QuotaLedgerTest, APodMustSayWhatTheQuotaBounds) {
  put_quota({{"limits.memory", "1Gi"}, {"requests.cpu", 1}});
  EXPECT_EQ(
      why(create(kPods, pod_asking("vague", {{"cpu", "100m"}}))),
      "pods \"vague\" is forbidden: failed quota: team: must specify limits.memory for: main");
}

TEST_F(QuotaLedgerTest, WithScopesCountsOnlyWhatTheyApplyTo) {
  put_quota({{"pods", 1}}, {"BestEffort"});
  ASSERT_TRUE(create(kPods, make_pod("lazy")));
  EXPECT_TRUE(create(kPods, pod_asking("busy", {{"cpu", "100m"}})));
  EXPECT_FALSE(create(kPods, make_pod("idle")));
}

TEST_F(QuotaLedgerTest, AChangeMayNotExceedItEither) {
  put_quota({{"services.nodeports", 1}});
  Json service{
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", {{"name", "web"}}},
      {"spec",
       {{"ports", JsonArray{{{"name", "a"}, {"port", 80}}, {{"name", "b"}, {"port", 81}}}}}}};
  ASSERT_TRUE(create(kServices, service));
  EXPECT_EQ(why(patch(kServices, "web", {{"spec", {{"type", "NodePort"}}}})),
            "services \"web\" is forbidden: exceeded quota: team, requested: services.nodeports=2, "
            "used: services.nodeports=0, limited: services.nodeports=1");
  EXPECT_TRUE(patch(kServices, "web", {{"metadata", {{"labels", {{"a", "b"}}}}}}));
}

TEST_F(QuotaLedgerTest, CountsStorage) {
  put_quota({{"requests.storage", "10Gi"}, {"persistentvolumeclaims", 5}});
  EXPECT_FALSE(create(kVolumeClaims, claim_of("11Gi")));
  EXPECT_TRUE(create(kVolumeClaims, claim_of("10Gi")));
}

TEST_F(QuotaLedgerTest, ADryRunAsksAndTakesNothing) {
  put_quota({{"configmaps", 1}});
  WriteOptions dry;
  dry.dry_run = true;
  EXPECT_TRUE(create(kConfigMaps, make_config_map("a"), dry));
  EXPECT_TRUE(create(kConfigMaps, make_config_map("a"), dry));
  EXPECT_TRUE(create(kConfigMaps, make_config_map("a")));
  EXPECT_TRUE(create(kConfigMaps, make_config_map("b"), dry).failed_with(Code::kForbidden));
}

TEST_F(QuotaLedgerTest, FollowsTheQuotaWhenItChangesOrGoes) {
  put_quota({{"configmaps", 1}});
  EXPECT_FALSE(takes_maps(2, "a"));
  ASSERT_TRUE(
      patch(kQuotas, "team", {{"status", {{"used", {{"configmaps", "1"}}}}}}, Part::kStatus));
  EXPECT_FALSE(takes_maps(1, "b"));
  ASSERT_TRUE(patch(kQuotas, "team", {{"spec", {{"hard", {{"configmaps", 3}}}}}}));
  EXPECT_TRUE(takes_maps(2, "c"));
  EXPECT_FALSE(takes_maps(1, "d"));
  ASSERT_TRUE(remove(kQuotas, "team"));
  EXPECT_TRUE(takes_maps(5, "e"));
}

TEST_F(QuotaLedgerTest, CountsAfreshWhenMoreHasHappenedThanIsRemembered) {
  put_quota({{"configmaps", 2}});
  EXPECT_TRUE(takes_maps(1, "a"));
  for (std::size_t i = 0; i <= store::Store::kHistory; ++i) {
    store::Store::Write write{"configmaps", Key{"default", "x"},
                              [i](const ObjectPtr&) -> Result<store::Store::Decision> {
                                Json map = make_config_map("x");
                                make_path(map, "metadata.namespace") = "default";
                                make_path(map, "data.n") = std::to_string(i);
                                return store::Store::Decision(std::move(map));
                              }};
    ASSERT_TRUE(loop_.run(store_->write(std::move(write))));
  }
  EXPECT_FALSE(takes_maps(1, "b"));
}

}  // namespace
}  // namespace trainyard::server
