// The TensorBoard of a job: T9k's contract, sections 1.7, 1.9 and 10.
#include "jobs/engine/plan/tensorboard.h"

#include "jobs/engine/test_world.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

World with_board() {
  return World(R"(
tensorboardSpec: {image: tb, logDir: {pvc: [{name: data, subPath: [log]}]}}
replicaSpecs: [{type: worker, template: {spec: {containers: [{name: main}]}}}]
)");
}

std::string reason(const World& world) {
  return std::string(string_at(world.status(), "tensorboard.reason"));
}

void set_board(World& world, const char* type, const char* value, const char* message) {
  make_path(world.tensorboard, "status.conditions") =
      JsonArray{{{"type", type}, {"status", value}, {"message", message}}};
}

TEST(JobTensorBoard, IsMadeWithTheJobAndOwnedByIt) {
  World world = with_board();
  const JobPlan plan = world.plan();
  ASSERT_TRUE(plan.create_tensorboard);
  EXPECT_EQ(name_of(*plan.create_tensorboard), "mnist-40c14");
  EXPECT_EQ(string_at(*plan.create_tensorboard, "apiVersion"), "tensorstack.dev/v1beta1");
  EXPECT_EQ(to_text(plan.create_tensorboard->at("spec")),
            R"({"image":"tb","logDir":{"pvc":[{"name":"data","subPath":["log"]}]}})");
  ASSERT_NE(controller_of(*plan.create_tensorboard), nullptr);
  world.apply(plan);
  EXPECT_EQ(reason(world), "DependentCreating");
  EXPECT_EQ(string_at(world.status(), "tensorboard.action"), "Create");
  EXPECT_EQ(world.condition("Initialized"), "");
}

TEST(JobTensorBoard, StatusReadsAsT9kWritesItWhenItIsReady) {
  World world = with_board();
  world.settle();
  EXPECT_EQ(reason(world), "DependentNotReady");
  set_board(world, "Ready", "True", "");
  world.settle();
  EXPECT_EQ(to_text(*find(world.status(), "tensorboard")),
            R"({"action":"NOP","dependent":{"apiVersion":"tensorstack.dev/v1beta1",)"
            R"("kind":"TensorBoard","name":"mnist-40c14","namespace":"demo","uid":"board-1"},)"
            R"("note":"TensorBoard [mnist-40c14] is ready","ready":true,)"
            R"("reason":"DependentReady","type":"Normal"})");
  EXPECT_TRUE(is_empty(world.plan()));
}

TEST(JobTensorBoard, SaysWhyItIsNotReady) {
  World world = with_board();
  world.settle();
  set_board(world, "Ready", "False", "tensorboard is not installed");
  make_path(world.tensorboard, "status.phase") = "Failed";
  world.settle();
  EXPECT_EQ(string_at(world.status(), "tensorboard.note"),
            "TensorBoard [mnist-40c14] is not ready: tensorboard is not installed");
  EXPECT_EQ(string_at(world.status(), "tensorboard.type"), "Warning");
  set_board(world, "Suspended", "True", "");
  world.settle();
  EXPECT_EQ(reason(world), "DependentSuspended");
}

TEST(JobTensorBoard, SurvivesTheEndOfTheJobAndIsToldOfAfterwards) {
  World world = with_board();
  world.settle();
  set_board(world, "Ready", "True", "");
  world.end_pod("worker-0", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Succeeded");
  EXPECT_EQ(reason(world), "DependentReady");
  set_board(world, "Suspended", "True", "");
  world.settle();
  EXPECT_EQ(reason(world), "DependentSuspended");
  EXPECT_EQ(world.phase(), "Succeeded");
  world.tensorboard = nullptr;
  world.settle();
  EXPECT_EQ(reason(world), "DependentMissing");
  EXPECT_TRUE(world.tensorboard.is_null()) << "a finished job makes nothing";
}

TEST(JobTensorBoard, IsMadeAgainWhileTheJobGoesOn) {
  World world = with_board();
  world.settle();
  world.tensorboard = nullptr;
  world.settle();
  EXPECT_FALSE(world.tensorboard.is_null());
}

TEST(JobTensorBoard, WithoutASpecThereIsNone) {
  World world = World::with_groups({"{type: worker}"});
  world.settle();
  EXPECT_EQ(find(world.status(), "tensorboard"), nullptr);
}

}  // namespace
}  // namespace trainyard::jobs
