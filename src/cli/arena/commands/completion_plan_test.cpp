#include "cli/arena/commands/completion_plan.h"

#include "cli/arena/commands.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

using Words = std::vector<std::string>;

class ArenaCompletionTest : public testing::Test {
 protected:
  ArenaCompletionTest() {
    root_.name = "arena";
    root_.flags.text("namespace", 'n', ns_, "NAMESPACE", "");
    add_submit_commands(root_);
    add_delete_command(root_);
    add_completion_commands(root_);
  }
  CompletionPlan plan(const Words& line) { return plan_completion(root_, line); }

  Command root_;
  std::string ns_;
};

TEST_F(ArenaCompletionTest, OffersCommandsThatBeginSo) {
  EXPECT_EQ(plan({"su"}).words, (Words{"submit"}));
  EXPECT_EQ(plan({"submit", ""}).words, (Words{"mpijob", "pytorchjob", "tfjob"}));
  EXPECT_EQ(plan({"__"}).words, Words{});
}

TEST_F(ArenaCompletionTest, OffersFlagsOfTheCommandAndTheRoot) {
  EXPECT_EQ(plan({"submit", "pytorch", "--work"}).words,
            (Words{"--worker-image", "--workers", "--working-dir"}));
  EXPECT_EQ(plan({"delete", "--n"}).words, (Words{"--namespace"}));
}

TEST_F(ArenaCompletionTest, OffersWhatAFlagTakes) {
  EXPECT_EQ(plan({"submit", "pytorch", "--image-pull-policy", "N"}).words, (Words{"Never"}));
  EXPECT_EQ(plan({"delete", "-T", "py"}).words, (Words{"pytorchjob"}));
  EXPECT_EQ(plan({"submit", "pytorch", "--data", ""}).offer, Offer::kClaim);
  EXPECT_EQ(plan({"submit", "pytorch", "-d", ""}).offer, Offer::kClaim);
  EXPECT_EQ(plan({"submit", "pytorch", "--name", ""}).offer, Offer::kNothing);
}

TEST_F(ArenaCompletionTest, OffersJobsOfTheNamespaceOfTheLine) {
  const CompletionPlan jobs = plan({"-n", "vision", "delete", "m"});
  EXPECT_EQ(jobs.offer, Offer::kJob);
  EXPECT_EQ(jobs.ns, "vision");
  EXPECT_EQ(plan({"delete", "mnist", ""}).job, "mnist");
  EXPECT_EQ(plan({"completion", ""}).words, (Words{"bash", "zsh"}));
}

}  // namespace
}  // namespace trainyard::cli::arena
