#include "node/limits/gpus.h"

#include <gtest/gtest.h>

#include <map>

namespace trainyard::node {
namespace {

Json container(const char* name, const char* gpus) {
  Json made{{"name", name}};
  if (gpus != nullptr) {
    made.get_object()["resources"] = Json{{"limits", {{"nvidia.com/gpu", gpus}}}};
  }
  return made;
}

Json pod(const char* given, JsonArray containers) {
  return {{"metadata", {{"annotations", {{"trainyard.dev/gpus", given}}}}},
          {"spec", {{"containers", std::move(containers)}}}};
}

std::map<std::string, std::string> seen(const Json& pod, const Json& container,
                                        std::int64_t first = 0) {
  const auto variables = gpu_variables(pod, container, first);
  return {variables.begin(), variables.end()};
}

TEST(Gpus, AreThoseThatThePodWasGiven) {
  const Json one = container("main", "2");
  const auto variables = seen(pod("1,3", {one}), one);
  EXPECT_EQ(variables.at("CUDA_VISIBLE_DEVICES"), "1,3");
  EXPECT_EQ(variables.at("NVIDIA_VISIBLE_DEVICES"), "1,3");
  EXPECT_EQ(variables.at("CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
}

TEST(Gpus, AreHiddenFromWhoAsksForNone) {
  const Json plain = container("main", nullptr);
  const auto variables = seen(pod("0", {container("other", "1"), plain}), plain);
  EXPECT_EQ(variables.at("CUDA_VISIBLE_DEVICES"), "");
  EXPECT_EQ(variables.at("NVIDIA_VISIBLE_DEVICES"), "void");
}

TEST(Gpus, OfAPodAreSharedOutInTheOrderOfItsContainers) {
  const Json first = container("a", "1");
  const Json second = container("b", "2");
  const Json made = pod("4,5,7", {first, second});
  EXPECT_EQ(seen(made, first).at("CUDA_VISIBLE_DEVICES"), "4");
  EXPECT_EQ(seen(made, second).at("CUDA_VISIBLE_DEVICES"), "5,7");
  EXPECT_EQ(seen(made, container("init", "3")).at("CUDA_VISIBLE_DEVICES"), "4,5,7");
}

TEST(Gpus, OfANodeThatSharesTheMachineBeginWhereTheNodeBeforeEnds) {
  const Json one = container("main", "2");
  EXPECT_EQ(seen(pod("0,1", {one}), one, 4).at("CUDA_VISIBLE_DEVICES"), "4,5");
}

TEST(Gpus, AreWaitedForByContainersThatAskForThem) {
  const Json first = container("a", "1");
  const Json second = container("b", "2");
  const Json half = pod("4,5", {first, second});
  EXPECT_TRUE(check_gpus(half, first));
  EXPECT_TRUE(check_gpus(half, second).failed_with(Code::kNotFound));
  EXPECT_TRUE(check_gpus(half, container("init", "2")));
  EXPECT_FALSE(check_gpus(half, container("init", "3")));
  EXPECT_TRUE(check_gpus(pod("4,5,6", {first, second}), second));
  EXPECT_FALSE(check_gpus(pod("", {first}), first));
  EXPECT_TRUE(check_gpus(pod("", {first}), container("a", nullptr)));
}

TEST(Gpus, AreNeverMoreThanThePodHas) {
  const Json greedy = container("main", "4");
  EXPECT_EQ(seen(pod("6", {greedy}), greedy).at("CUDA_VISIBLE_DEVICES"), "6");
}

}  // namespace
}  // namespace trainyard::node
