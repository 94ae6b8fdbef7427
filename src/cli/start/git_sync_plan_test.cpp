#include "cli/start/git_sync_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

using Variables = std::map<std::string, std::string>;

GitSyncPlan plan(Variables variables) {
  variables.try_emplace("GIT_SYNC_REPO", "https://h:8/g/r.git");
  return *plan_git_sync(variables);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

TEST(GitSync, ClonesTheWholeBranchUnlessADepthIsAsked) {
  EXPECT_EQ(joined(plan({}).clone("/d", "main")),
            "git clone --quiet --branch=main -- https://h:8/g/r.git /d");
  EXPECT_EQ(joined(plan({{"GIT_SYNC_DEPTH", "3"}}).clone("/d", "")),
            "git clone --quiet --depth=3 -- https://h:8/g/r.git /d");
}

TEST(GitSync, LoginsAreInTheEnvironmentAndNowhereElse) {
  for (const Variables& variables :
       {Variables{{"GIT_SYNC_USERNAME", "ann"}, {"GIT_SYNC_PASSWORD", "p@ss word"}},
        Variables{{"GIT_SYNC_REPO", "https://ann:p%40ss%20word@h:8/g/r.git"}}}) {
    const GitSyncPlan made = plan(variables);
    EXPECT_EQ(made.repository, "https://h:8/g/r.git");
    EXPECT_EQ(made.environment.at("TRAINYARD_GIT_USER"), "ann");
    EXPECT_EQ(made.environment.at("TRAINYARD_GIT_PASSWORD"), "p@ss word");
    EXPECT_EQ(made.environment.at("GIT_CONFIG_KEY_1"), "credential.https://h:8.helper");
    EXPECT_EQ(joined(made.clone("/d", "main")).find("ann"), std::string::npos);
  }
}

TEST(GitSync, NobodyIsAskedForALogin) {
  const GitSyncPlan made = plan({});
  EXPECT_EQ(made.environment.at("GIT_TERMINAL_PROMPT"), "0");
  EXPECT_FALSE(made.environment.contains("GIT_CONFIG_COUNT"));
}

TEST(GitSync, ARevisionIsCheckedOutDetached) {
  EXPECT_TRUE(plan({{"GIT_SYNC_REV", "HEAD"}}).check_out().empty());
  EXPECT_EQ(joined(plan({{"GIT_SYNC_REV", "v1"}}).check_out().at(0)),
            "git checkout --quiet --detach v1");
  EXPECT_EQ(joined(plan({{"GIT_SYNC_REV", "v1"}, {"GIT_SYNC_DEPTH", "1"}}).check_out().at(0)),
            "git fetch --quiet --depth=1 origin v1");
}

TEST(GitSync, SubmodulesAreUpdatedUnlessTurnedOff) {
  EXPECT_EQ(joined(plan({}).update_submodules().at(0)),
            "git submodule --quiet update --init --recursive");
  EXPECT_EQ(joined(plan({{"GIT_SYNC_SUBMODULES", "shallow"}}).update_submodules().at(0)),
            "git submodule --quiet update --init");
  EXPECT_TRUE(plan({{"GIT_SYNC_SUBMODULES", "off"}}).update_submodules().empty());
}

TEST(GitSync, KeysOfSshComeFromFiles) {
  const GitSyncPlan made = plan({{"GIT_SYNC_SSH", "true"}, {"GIT_KNOWN_HOSTS", "false"}});
  EXPECT_EQ(made.environment.at("GIT_SSH_COMMAND"),
            "ssh -o BatchMode=yes -i '/etc/git-secret/ssh' -o StrictHostKeyChecking=no -o "
            "UserKnownHostsFile=/dev/null");
}

TEST(GitSync, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(plan_git_sync({}));
  const auto refused = [](const char* name, const char* value) {
    return !plan_git_sync({{"GIT_SYNC_REPO", "r"}, {name, value}});
  };
  EXPECT_TRUE(refused("GIT_SYNC_DEPTH", "-1"));
  EXPECT_TRUE(refused("GIT_SYNC_DEPTH", "x"));
  EXPECT_TRUE(refused("GIT_SYNC_DEST", "../x"));
  EXPECT_TRUE(refused("GIT_SYNC_DEST", ".."));
  EXPECT_TRUE(refused("GIT_SYNC_REV", "--upload-pack=x"));
  EXPECT_TRUE(refused("GIT_SYNC_SUBMODULES", "maybe"));
}

}  // namespace
}  // namespace trainyard::cli
