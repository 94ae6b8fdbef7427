#include "node/container_choice.h"

#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

Json pod(const std::string& yaml) {
  auto parsed = parse_yaml(yaml);
  EXPECT_TRUE(parsed && parsed->size() == 1);
  return parsed ? parsed->at(0) : Json();
}

TEST(ChooseContainer, TheOnlyOneNeedsNoName) {
  const Json one = pod("{metadata: {name: p}, spec: {containers: [{name: main}]}}");
  EXPECT_EQ(choose_container(one, "").value_or(""), "main");
  EXPECT_EQ(choose_container(one, "main").value_or(""), "main");
}

TEST(ChooseContainer, SeveralNeedAName) {
  const Json two =
      pod("{metadata: {name: p}, spec: {containers: [{name: a}, {name: b}], "
          "initContainers: [{name: i}]}}");
  EXPECT_EQ(choose_container(two, "b").value_or(""), "b");
  EXPECT_EQ(choose_container(two, "i").value_or(""), "i");
  const auto none = choose_container(two, "");
  ASSERT_TRUE(none.failed_with(Code::kBadRequest));
  EXPECT_EQ(none.error().message(),
            "a container name must be specified for pod p, choose one of: [a b i]");
  const auto wrong = choose_container(two, "c");
  ASSERT_TRUE(wrong.failed_with(Code::kBadRequest));
  EXPECT_EQ(wrong.error().message(), "container c is not valid for pod p: it has [a b i]");
}

TEST(WaitingReason, IsWhatTheStatusSays) {
  const Json waiting = pod(
      "{status: {containerStatuses: [{name: a, state: {waiting: {reason: R, message: no volume}}}, "
      "{name: b, state: {waiting: {reason: R}}}]}}");
  EXPECT_EQ(waiting_reason(waiting, "a"), "no volume");
  EXPECT_EQ(waiting_reason(waiting, "b"), "R");
  EXPECT_EQ(waiting_reason(waiting, "c"), "ContainerCreating");
}

}  // namespace
}  // namespace trainyard::node
