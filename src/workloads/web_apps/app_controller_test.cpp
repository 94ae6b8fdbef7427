// A TensorBoard from its object to its end, against the API in memory.
#include "workloads/web_apps/app_controller.h"

#include "workloads/test_world.h"
#include "workloads/web_apps/tensorboard.h"

#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

const Key kKey{"ns", "board"};

class AppControllerTest : public testing::Test {
 protected:
  AppControllerTest() : controller_(world_.loop.executor(), world_.api, world_.clock, kind_) {
    contract::IdleLimits limits;
    limits.idle_after = 60s;
    limits.suspend_after = 60s;
    controller_.set_up("http://127.0.0.1:6482", limits);
    controller_.start();
    world_.api.put(kVolumeClaims, make_object("v1", "PersistentVolumeClaim", "ns", "runs"));
    Json board = make_object("tensorstack.dev/v1beta1", "TensorBoard", "ns", "board");
    make_path(board, "metadata.uid") = "u-1";
    make_path(board, "spec.logDir.pvc") = JsonArray{JsonObject{{"name", "runs"}}};
    world_.api.put(contract::kTensorBoards, std::move(board));
    world_.pass(1s);
  }
  ~AppControllerTest() override {
    world_.api.before_call = nullptr;
    world_.api.after_write = nullptr;
    world_.loop.run(controller_.stop());
  }

  Json board() { return world_.api.find(contract::kTensorBoards, kKey)->body(); }
  ObjectPtr pod() {
    const auto pods = world_.api.all(kPods);
    EXPECT_LE(pods.size(), 1U);
    return pods.empty() ? nullptr : pods.front();
  }
  /// As the node would.
  void make_ready() {
    Json body = pod()->body();
    const JsonObject ready{{"type", "Ready"}, {"status", "True"}};
    body.get_object()["status"] = {{"phase", "Running"}, {"conditions", JsonArray{ready}}};
    world_.api.put(kPods, std::move(body));
    world_.pass(1s);
  }
  void end_removed_pods() {
    for (const ObjectPtr& removed : world_.api.all(kPods)) {
      if (is_being_deleted(removed->body())) world_.api.erase(kPods, key_of(removed->body()));
    }
    world_.pass(1s);
  }

  TestWorld world_;
  TensorBoard kind_;
  AppController controller_;
};

TEST_F(AppControllerTest, MakesAPodAndTellsWhenItIsReady) {
  ASSERT_NE(pod(), nullptr);
  EXPECT_EQ(string_at(board(), "status.phase"), "Initializing");
  make_ready();
  EXPECT_EQ(string_at(board(), "status.phase"), "Running");
  EXPECT_EQ(string_at(board(), "status.pod.reference.name"), name_of(pod()->body()));
  EXPECT_EQ(condition_field(board(), "Ready", "status"), "True");
}

TEST_F(AppControllerTest, ReplacesAPodThatIsGone) {
  make_ready();
  world_.api.erase(kPods, key_of(pod()->body()));
  world_.pass(1s);
  ASSERT_NE(pod(), nullptr);
  EXPECT_EQ(string_at(board(), "status.phase"), "Initializing");
}

TEST_F(AppControllerTest, SuspendsWhatNobodyUsesAndBringsItBack) {
  make_ready();
  world_.pass(125s);
  EXPECT_TRUE(bool_at(board(), "spec.suspend"));
  end_removed_pods();
  EXPECT_EQ(pod(), nullptr);
  EXPECT_EQ(string_at(board(), "status.phase"), "Suspended");
  ASSERT_TRUE(world_.api.user_patches(contract::kTensorBoards, kKey,
                                      Json{{"spec", JsonObject{{"suspend", false}}}}));
  world_.pass(5s);
  EXPECT_NE(pod(), nullptr);
  EXPECT_FALSE(bool_at(board(), "spec.suspend")) << "it has not been idle since it was resumed";
}

TEST_F(AppControllerTest, GetsThereThoughCallsFail) {
  for (const std::uint32_t seed : sim_seeds(10)) {
    Faults faults(seed);
    faults.plague(world_.api, 12);
    world_.api.erase(kPods, key_of(pod()->body()));
    world_.pass(30s);
    ASSERT_NE(pod(), nullptr) << "SIM_SEED=" << seed;
    make_ready();
    world_.pass(20s);
    EXPECT_EQ(string_at(board(), "status.phase"), "Running") << "SIM_SEED=" << seed;
    ASSERT_TRUE(world_.api.user_patches(
        contract::kTensorBoards, kKey,
        Json{{"metadata",
              {{"annotations",
                {{contract::kLastUsedAnnotation, format_time(world_.clock.wall())}}}}}}));
  }
}

}  // namespace
}  // namespace trainyard::workloads
