// Debug mode: T9k's contract, section 1.4.
#include "jobs/engine/form/run_mode.h"

#include "jobs/engine/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

World debugged(const std::string& debug, const std::string& more = "") {
  World world(fmt::format(R"(
runMode: {{debug: {}}}
{}
replicaSpecs:
- type: worker
  template:
    spec:
      initContainers: [{{name: fetch}}]
      containers: [{{name: side, command: [ship]}}, {{name: python, command: [train], args: [--fast]}}]
)",
                          debug, more));
  world.settle();
  return world;
}

const Json& container(const World& world, std::size_t index) {
  return array_at(world.pod("worker-0"), "spec.containers")[index];
}

TEST(DebugMode, PodsSleepInsteadOfTrainingAndDropTheirArgs) {
  const World world = debugged("{enabled: true}");
  EXPECT_EQ(to_text(array_at(container(world, 1), "command")), R"(["sleep","inf"])");
  EXPECT_EQ(find(container(world, 1), "args"), nullptr);
  EXPECT_EQ(to_text(array_at(container(world, 0), "command")), R"(["ship"])")
      << "only the container that trains";
  EXPECT_EQ(string_at(array_at(container(world, 1), "env")[0], "name"), "MASTER_ADDR")
      << "variables as usual";
  EXPECT_EQ(array_at(world.pod("worker-0"), "spec.initContainers").size(), 1U);
}

TEST(DebugMode, UnderstandsTheOlderSpelling) {
  EXPECT_EQ(to_text(array_at(container(debugged("{enable: true}"), 1), "command")),
            R"(["sleep","inf"])");
}

TEST(DebugMode, IsOffUnlessEnabled) {
  EXPECT_EQ(to_text(array_at(container(debugged("{enabled: false}"), 1), "command")),
            R"(["train"])");
}

TEST(DebugMode, ATypeMayHaveItsOwnCommandAndSkipInitContainers) {
  const World world = debugged(
      "{enabled: true, replicaSpecs: [{type: worker, command: [sh, -c, wait], skipInitContainer: "
      "true}]}");
  EXPECT_EQ(to_text(array_at(container(world, 1), "command")), R"(["sh","-c","wait"])");
  EXPECT_TRUE(array_at(world.pod("worker-0"), "spec.initContainers").empty());
}

TEST(DebugMode, TurnsTorchrunOff) {
  const World world = debugged("{enabled: true}", "torchrunConfig: {enabled: true}");
  EXPECT_EQ(to_text(array_at(container(world, 1), "command")), R"(["sleep","inf"])");
  EXPECT_EQ(find(container(world, 1), "args"), nullptr);
}

}  // namespace
}  // namespace trainyard::jobs
