#include "node/limits/capabilities.h"

#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

#include <linux/capability.h>

namespace trainyard::node {
namespace {

Capabilities made_of(const std::string& capabilities,
                     PodNetwork network = PodNetwork::kOfTheMachine) {
  return make_capabilities(*parse_json_or_yaml("capabilities: " + capabilities), network);
}

bool has(const Capabilities& capabilities, int number) {
  return (capabilities.mask >> number & 1) != 0;
}

TEST(Capabilities, WithoutBeingAskedForAreThoseOfContainers) {
  const Capabilities made = made_of("{}");
  EXPECT_TRUE(has(made, CAP_CHOWN) && has(made, CAP_SETUID) && has(made, CAP_IPC_LOCK));
  for (const int dangerous : {CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_SYS_MODULE, CAP_MKNOD,
                              CAP_SYS_RAWIO, CAP_DAC_READ_SEARCH, CAP_NET_ADMIN, CAP_BPF}) {
    EXPECT_FALSE(has(made, dangerous)) << dangerous;
  }
}

TEST(Capabilities, AreDroppedAndAddedByName) {
  const Capabilities made = made_of("{drop: [ALL], add: [CAP_CHOWN, kill, SYS_RESOURCE]}");
  EXPECT_EQ(made.mask, (std::uint64_t{1} << CAP_CHOWN) | (std::uint64_t{1} << CAP_KILL) |
                           (std::uint64_t{1} << CAP_SYS_RESOURCE));
  EXPECT_FALSE(has(made_of("{drop: [CHOWN]}"), CAP_CHOWN));
}

TEST(Capabilities, ThatLeadOutAreNotGiven) {
  const Capabilities made = made_of("{add: [SYS_ADMIN, NET_ADMIN, IPC_LOCK]}");
  EXPECT_EQ(made.mask, made_of("{}").mask);
  EXPECT_EQ(made.refused, (std::vector<std::string>{"SYS_ADMIN", "NET_ADMIN"}));
  EXPECT_FALSE(has(made_of("{add: [ALL]}"), CAP_SYS_ADMIN));
}

TEST(Capabilities, HearTheMachinesNetworkOnlyWhereThatIsNamed) {
  EXPECT_FALSE(has(made_of("{}"), CAP_NET_RAW));
  EXPECT_FALSE(has(made_of("{add: [ALL]}"), CAP_NET_RAW));
  EXPECT_TRUE(has(made_of("{add: [net_raw]}"), CAP_NET_RAW));
}

TEST(Capabilities, HearANetworkOfTheirOwn) {
  EXPECT_TRUE(has(made_of("{}", PodNetwork::kItsOwn), CAP_NET_RAW));
  EXPECT_FALSE(has(made_of("{drop: [NET_RAW]}", PodNetwork::kItsOwn), CAP_NET_RAW));
  EXPECT_FALSE(has(made_of("{add: [NET_ADMIN]}", PodNetwork::kItsOwn), CAP_NET_ADMIN));
}

}  // namespace
}  // namespace trainyard::node
