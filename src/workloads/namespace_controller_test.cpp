#include "workloads/namespace_controller.h"

#include "workloads/account_controller.h"
#include "workloads/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

const Resource kWidgets{"example.com", "v1", "widgets"};

class NamespaceTest : public testing::Test {
 protected:
  NamespaceTest()
      : kinds_(world_.loop.executor(), world_.api, world_.clock,
               {{kNamespaces, "Namespace", false},
                {kPods, "Pod", true},
                {kConfigMaps, "ConfigMap", true},
                {kServiceAccounts, "ServiceAccount", true},
                {kNodes, "Node", false},
                {kWidgets, "Widget", true}}),
        namespaces_(world_.loop.executor(), world_.api, world_.clock, kinds_),
        accounts_(world_.loop.executor(), world_.api, world_.clock, "PEM") {
    world_.api.put(kNamespaces, make_object("v1", "Namespace", "", "team"));
    world_.api.put(kNamespaces, make_object("v1", "Namespace", "", "other"));
    namespaces_.start();
    accounts_.start();
    world_.pass(1s);
  }
  ~NamespaceTest() override {
    world_.loop.run(namespaces_.stop());
    world_.loop.run(accounts_.stop());
  }
  void remove_namespace() {
    EXPECT_TRUE(world_.api.user_removes(kNamespaces, Key{"", "team"}));
    world_.pass(2s);
  }
  ObjectPtr team() { return world_.api.find(kNamespaces, Key{"", "team"}); }
  std::size_t left_in_team() {
    std::size_t left = 0;
    for (const Resource& resource : {kPods, kConfigMaps, kServiceAccounts, kWidgets, kEvents}) {
      for (const ObjectPtr& object : world_.api.all(resource)) {
        left += namespace_of(object->body()) == "team" ? 1 : 0;
      }
    }
    return left;
  }

  TestWorld world_;
  ServedKinds kinds_;
  NamespaceController namespaces_;
  AccountController accounts_;
};

TEST_F(NamespaceTest, GivesEveryNamespaceItsAccountAndItsCertificateAuthority) {
  for (const char* ns : {"team", "other"}) {
    EXPECT_NE(world_.api.find(kServiceAccounts, Key{ns, "default"}), nullptr);
    const ObjectPtr bundle = world_.api.find(kConfigMaps, Key{ns, "kube-root-ca.crt"});
    ASSERT_NE(bundle, nullptr);
    EXPECT_EQ(object_at(bundle->body(), "data"), (JsonObject{{"ca.crt", "PEM"}}));
  }
}

TEST_F(NamespaceTest, BringsThemBackWhenTheyAreDeletedOrChanged) {
  EXPECT_TRUE(world_.api.user_removes(kServiceAccounts, Key{"team", "default"}));
  Json bundle = world_.api.find(kConfigMaps, Key{"team", "kube-root-ca.crt"})->body();
  make_path(bundle, "data") = {{"ca.crt", "forged"}};
  world_.api.put(kConfigMaps, std::move(bundle));
  world_.pass(1s);
  EXPECT_NE(world_.api.find(kServiceAccounts, Key{"team", "default"}), nullptr);
  EXPECT_EQ(
      object_at(world_.api.find(kConfigMaps, Key{"team", "kube-root-ca.crt"})->body(), "data"),
      (JsonObject{{"ca.crt", "PEM"}}));
}

TEST_F(NamespaceTest, RemovesEverythingInANamespaceAndThenTheNamespace) {
  for (int i = 0; i < 50; ++i) {
    world_.api.put(kWidgets,
                   make_object("example.com/v1", "Widget", "team", fmt::format("w{}", i)));
  }
  world_.api.put(kEvents, make_object("v1", "Event", "team", "e"));
  world_.api.put(kWidgets, make_object("example.com/v1", "Widget", "other", "mine"));
  remove_namespace();
  EXPECT_EQ(team(), nullptr);
  EXPECT_EQ(left_in_team(), 0U);
  EXPECT_NE(world_.api.find(kWidgets, Key{"other", "mine"}), nullptr);
  EXPECT_NE(world_.api.find(kServiceAccounts, Key{"other", "default"}), nullptr);
}

TEST_F(NamespaceTest, WaitsForPodsToEndAndSaysSo) {
  Json pod = make_object("v1", "Pod", "team", "p");
  make_path(pod, "spec.nodeName") = "node-1";
  world_.api.put(kPods, std::move(pod));
  remove_namespace();
  ASSERT_NE(team(), nullptr);
  EXPECT_EQ(string_at(team()->body(), "status.phase"), "Terminating");
  EXPECT_EQ(condition_field(team()->body(), "NamespaceContentRemaining", "status"), "True");
  EXPECT_EQ(condition_field(team()->body(), "NamespaceContentRemaining", "message"),
            "Some resources are remaining: pods. has 1 resource instances");
  EXPECT_EQ(condition_field(team()->body(), "NamespaceFinalizersRemaining", "status"), "False");
  world_.api.erase(kPods, Key{"team", "p"});
  world_.pass(1s);
  EXPECT_EQ(team(), nullptr);
}

TEST_F(NamespaceTest, SaysWhichFinalizersHoldWhat) {
  Json widget = make_object("example.com/v1", "Widget", "team", "w");
  make_path(widget, "metadata.finalizers") = JsonArray{"example.com/guard"};
  world_.api.put(kWidgets, std::move(widget));
  remove_namespace();
  ASSERT_NE(team(), nullptr);
  EXPECT_EQ(
      condition_field(team()->body(), "NamespaceFinalizersRemaining", "message"),
      "Some content in the namespace has finalizers remaining: example.com/guard in 1 resource "
      "instances");
}

TEST_F(NamespaceTest, SaysWhatCannotBeRemovedAndTriesAgain) {
  world_.api.put(kWidgets, make_object("example.com/v1", "Widget", "team", "w"));
  world_.api.before_call = [](const client::FakeApi::Call& call) -> Result<> {
    if (call.verb == "remove" && call.resource == kWidgets) {
      return Error(Code::kForbidden, "hands off");
    }
    return Ok();
  };
  remove_namespace();
  ASSERT_NE(team(), nullptr);
  EXPECT_EQ(condition_field(team()->body(), "NamespaceDeletionContentFailure", "message"),
            "widgets.example.com team/w: hands off");
  world_.api.before_call = nullptr;
  world_.pass(40s);
  EXPECT_EQ(team(), nullptr);
}

TEST_F(NamespaceTest, LeavesTheNamespaceToOtherFinalizersOfItsSpec) {
  Json ns = team()->body();
  make_path(ns, "spec.finalizers") = JsonArray{"kubernetes", "example.com/other"};
  world_.api.put(kNamespaces, std::move(ns));
  remove_namespace();
  ASSERT_NE(team(), nullptr);
  EXPECT_EQ(array_at(team()->body(), "spec.finalizers"), JsonArray{"example.com/other"});
}

TEST_F(NamespaceTest, ClearsWhatANamespaceLeftThatIsGoneAlready) {
  world_.api.put(kWidgets, make_object("example.com/v1", "Widget", "team", "w"));
  world_.api.erase(kNamespaces, Key{"", "team"});
  world_.pass(2s);
  EXPECT_EQ(left_in_team(), 0U);
}

}  // namespace
}  // namespace trainyard::workloads
