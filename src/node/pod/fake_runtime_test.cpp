#include "node/pod/fake_runtime.h"

#include "base/fake_clock.h"
#include "object/yaml/yaml.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

ObjectPtr pod(const char* text) {
  return std::make_shared<const StoredObject>(*parse_json_or_yaml(text), 1);
}

struct FakeRuntimeTest : testing::Test {
  boost::asio::io_context loop;
  FakeClock clock{loop.get_executor()};
  int news = 0;
  FakeRuntime runtime{clock, [this] { ++news; }};
  PodRuntime::Launch told;
  const Json trainer{{"name", "train"}};
};

TEST_F(FakeRuntimeTest, ReadsATimeAndACode) {
  EXPECT_EQ(parse_fake_exit("2s 0")->after, 2000ms);
  EXPECT_EQ(parse_fake_exit("500ms 137")->after, 500ms);
  EXPECT_EQ(parse_fake_exit("500ms 137")->code, 137);
  for (const char* wrong : {"", "2s", "2 0", "s 0", "2s x", "2s 256", "2s 0 1", "-1s 0", "2h 0"}) {
    EXPECT_FALSE(parse_fake_exit(wrong)) << wrong;
  }
}

TEST_F(FakeRuntimeTest, RunsUntilItIsStopped) {
  const ObjectPtr object = pod("spec: {containers: [{name: train}]}");
  runtime.begin(object);
  EXPECT_EQ(runtime.state(trainer, 0).phase, RunState::Phase::kAbsent);
  EXPECT_FALSE(runtime.start(object, trainer, 0, told));
  EXPECT_TRUE(runtime.state(trainer, 0).runs());
  EXPECT_FALSE(runtime.next_look());
  EXPECT_TRUE(runtime.stop("train", 0, 30));
  EXPECT_EQ(news, 1);
  EXPECT_TRUE(runtime.state(trainer, 0).has_ended());
  EXPECT_EQ(runtime.state(trainer, 0).exit_code, 143);
}

TEST_F(FakeRuntimeTest, EndsWhenAndHowTheAnnotationSays) {
  const ObjectPtr object = pod(R"(
    metadata: {annotations: {trainyard.dev/fake-exit: 2s 3}}
    spec: {containers: [{name: train}]})");
  runtime.begin(object);
  EXPECT_FALSE(runtime.start(object, trainer, 0, told));
  EXPECT_EQ(runtime.next_look(), clock.now() + 2s);
  clock.advance(1999ms);
  EXPECT_TRUE(runtime.state(trainer, 0).runs());
  clock.advance(1ms);
  EXPECT_TRUE(runtime.state(trainer, 0).has_ended());
  EXPECT_EQ(runtime.state(trainer, 0).exit_code, 3);
  EXPECT_EQ(runtime.state(trainer, 0).reason, "Error");
  EXPECT_FALSE(runtime.next_look());
}

TEST_F(FakeRuntimeTest, InitContainersSucceedAtOnce) {
  const ObjectPtr object = pod(R"(
    spec:
      initContainers: [{name: fetch}, {name: proxy, restartPolicy: Always}]
      containers: [{name: train}])");
  const JsonArray& init = array_at(object->body(), "spec.initContainers");
  for (const Json& container : init) EXPECT_FALSE(runtime.start(object, container, 0, told));
  EXPECT_TRUE(runtime.state(init[0], 0).has_succeeded());
  EXPECT_TRUE(runtime.state(init[1], 0).runs()) << "a sidecar runs on";
}

TEST_F(FakeRuntimeTest, AnAnnotationThatSaysNothingHinders) {
  const ObjectPtr object = pod(R"(
    metadata: {annotations: {trainyard.dev/fake-exit: soon}}
    spec: {containers: [{name: train}]})");
  const auto obstacle = runtime.start(object, trainer, 0, told);
  ASSERT_TRUE(obstacle);
  EXPECT_NE(obstacle->cause.message().find("\"soon\""), std::string::npos);
}

TEST_F(FakeRuntimeTest, TakesUpWhatAServerBeforeItHasSaid) {
  const std::string started = format_time(clock.wall());
  const ObjectPtr object = pod(fmt::format(R"(
    metadata: {{annotations: {{trainyard.dev/fake-exit: 5s 0}}}}
    spec: {{containers: [{{name: train}}]}}
    status:
      containerStatuses:
      - name: train
        containerID: trainyard://uid/train/3
        state: {{running: {{startedAt: "{}"}}}}
        lastState: {{terminated: {{exitCode: 9, containerID: trainyard://uid/train/2}}}})",
                                           started)
                                   .c_str());
  runtime.begin(object);
  EXPECT_EQ(runtime.last_run("train"), 3);
  EXPECT_TRUE(runtime.state(trainer, 3).runs());
  EXPECT_EQ(runtime.state(trainer, 2).exit_code, 9);
  clock.advance(6s);
  EXPECT_TRUE(runtime.state(trainer, 3).has_succeeded());
  runtime.forget_runs("train", 3, 0);
  EXPECT_EQ(runtime.state(trainer, 2).phase, RunState::Phase::kAbsent);
}

}  // namespace
}  // namespace trainyard::node
