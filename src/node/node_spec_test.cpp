#include "node/node_spec.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

std::vector<NodeSpec> nodes(const char* text, std::optional<std::string> fake_gpus = {}) {
  return *read_nodes(NodeFlags{text, std::move(fake_gpus), 0});
}

std::string refusal(const char* text, std::optional<std::string> fake_gpus = {}) {
  const auto read = read_nodes(NodeFlags{text, std::move(fake_gpus), 0});
  return read ? "accepted" : read.error().message();
}

TEST(ReadNodes, WithoutFlagsIsOneNodeWithWhatTheMachineHas) {
  const auto read = nodes("");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].name, "node-0");
  EXPECT_FALSE(read[0].cpu || read[0].memory);
  EXPECT_EQ(read[0].gpus, 0);
  EXPECT_FALSE(read[0].fake_gpus);
}

TEST(ReadNodes, GroupsOfEqualNodes) {
  const auto read = nodes("3*role=master;2*gpu=2,cpu=8,memory=32Gi,zone=a", "");
  ASSERT_EQ(read.size(), 5U);
  EXPECT_EQ(read[2].name, "node-2");
  EXPECT_EQ(read[2].labels.at("role"), "master");
  EXPECT_EQ(read[2].labels.at("node-role.kubernetes.io/master"), "");
  EXPECT_EQ(read[2].gpus, 0);
  EXPECT_EQ(read[3].name, "node-3");
  EXPECT_EQ(read[3].gpus, 2);
  EXPECT_TRUE(read[3].fake_gpus);
  EXPECT_EQ(read[3].cpu->to_text(), "8");
  EXPECT_EQ(read[3].memory->to_text(), "32Gi");
  EXPECT_EQ(read[3].labels, (std::map<std::string, std::string>{{"zone", "a"}}));
  EXPECT_NE(read[3].address, read[4].address);
}

TEST(ReadNodes, ACountAloneIsEnough) {
  EXPECT_EQ(nodes("3").size(), 3U);
}

TEST(ReadNodes, AddressesDifferBeyondOneByte) {
  const auto read = nodes("300");
  EXPECT_EQ(read[253].address, "127.65.0.254");
  EXPECT_EQ(read[254].address, "127.65.1.1");
}

TEST(ReadNodes, FakeGpusGoToEachNodeThatDoesNotSay) {
  const auto read = nodes("gpu=0,role=master;zone=a", "4");
  EXPECT_EQ(read[0].gpus, 0);
  EXPECT_FALSE(read[0].fake_gpus);
  EXPECT_EQ(read[1].gpus, 4);
  EXPECT_EQ(nodes("", "6")[0].gpus, 6);
}

TEST(ReadNodes, SaysWhatIsWrongAndHowToWriteIt) {
  EXPECT_EQ(
      refusal("gpu=2"),
      "--nodes gives 2 GPUs to its nodes, and 0 were found on this machine: add --fake-gpus to "
      "only seem to have them");
  for (const char* text :
       {"0*gpu=1", "x*gpu=1", "2*", ";", "gpu", "=3", "gpu=-1", "gpu=1.5", "cpu=lots", "memory=0",
        "cpu=-2", "1001*zone=a", "zone=a b", "pods=x", "600*a=b;600*a=c", "two words=x"}) {
    EXPECT_NE(refusal(text, "").find("write --nodes as"), std::string::npos)
        << text << ": " << refusal(text, "");
  }
  EXPECT_NE(refusal("", "many").find("--fake-gpus many"), std::string::npos);
  EXPECT_NE(refusal("", "-1").find("--fake-gpus -1"), std::string::npos);
}

TEST(NodeSpec, RealGpusGoToTheOnlyNode) {
  const auto read = read_nodes(NodeFlags{"", std::nullopt, 4});
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[0].gpus, 4);
  EXPECT_FALSE((*read)[0].fake_gpus);
}

TEST(NodeSpec, RealGpusAreSharedOutAmongNodesThatAskForSome) {
  const auto read = read_nodes(NodeFlags{"gpu=1;role=master;2*gpu=2", std::nullopt, 5});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ((*read)[1].gpus, 0);
  EXPECT_EQ((*read)[2].first_gpu, 1);
  EXPECT_EQ((*read)[3].first_gpu, 3);
}

}  // namespace
}  // namespace trainyard::node
