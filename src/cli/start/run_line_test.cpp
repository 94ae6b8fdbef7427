#include "cli/start/run_line.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

using Words = std::vector<std::string>;

RunLine split(const Words& words) {
  return split_run_line(words,
                        [](const std::string& flag) { return flag == "-n" || flag == "--env"; });
}

TEST(RunLine, BeginsItsCommandBehindTwoDashes) {
  const RunLine line = split({"run", "-n", "4", "--", "python", "train.py", "--", "-n"});
  EXPECT_EQ(line.own, (Words{"run", "-n", "4"}));
  EXPECT_EQ(line.command, (Words{"python", "train.py", "--", "-n"}));
}

TEST(RunLine, BeginsItsCommandAtTheFirstWordThatIsNoFlag) {
  const RunLine line = split({"--env", "run", "run", "--torchrun", "-n4", "python", "-n", "1"});
  EXPECT_EQ(line.own, (Words{"--env", "run", "run", "--torchrun", "-n4"}));
  EXPECT_EQ(line.command, (Words{"python", "-n", "1"}));
}

TEST(RunLine, MayHaveNoCommand) {
  EXPECT_EQ(split({"run", "--help"}).own, (Words{"run", "--help"}));
  EXPECT_TRUE(split({"run", "-n"}).command.empty());
}

TEST(RunLine, OfAShellThatCompletesIsTheUnfinishedLine) {
  const RunLine line = split({"__complete", "--", "logs", "-i", ""});
  EXPECT_EQ(line.own, Words{"__complete"});
  EXPECT_EQ(line.command, (Words{"logs", "-i", ""}));
}

TEST(RunLine, OfOtherCommandsIsLeftAlone) {
  const Words other{"delete", "run", "--", "x"};
  EXPECT_EQ(split(other).own, other);
  EXPECT_TRUE(split(other).command.empty());
}

}  // namespace
}  // namespace trainyard::cli
