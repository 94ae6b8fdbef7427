#include "cli/arena/code/ignore_rules.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

TEST(ArenaIgnore, GlobsStayWithinAPartOfThePath) {
  EXPECT_TRUE(matches_glob("*.py", "a.py"));
  EXPECT_FALSE(matches_glob("*.py", "a/b.py"));
  EXPECT_TRUE(matches_glob("a?c", "abc"));
  EXPECT_FALSE(matches_glob("a?c", "a/c"));
  EXPECT_TRUE(matches_glob("[a-c]x", "bx"));
  EXPECT_FALSE(matches_glob("[!a-c]x", "bx"));
  EXPECT_TRUE(matches_glob("[]x]", "]"));
  EXPECT_TRUE(matches_glob("[x", "[x"));
  EXPECT_TRUE(matches_glob("\\*", "*"));
  EXPECT_FALSE(matches_glob("\\*", "a"));
  EXPECT_TRUE(matches_glob("**/x", "x"));
  EXPECT_TRUE(matches_glob("**/x", "a/b/x"));
  EXPECT_TRUE(matches_glob("a/**", "a/b/c"));
  EXPECT_FALSE(matches_glob("a/**", "a"));
  EXPECT_TRUE(matches_glob("a/**/b", "a/b"));
  EXPECT_TRUE(matches_glob("a/**/b", "a/x/y/b"));
}

TEST(ArenaIgnore, RulesAreGits) {
  IgnoreRules rules;
  rules.add("", "# comment\n\n*.pyc\n/data\nlogs/\n!keep.pyc\ndoc/*.txt\nblank\\ \n trailing  \n");
  EXPECT_TRUE(rules.ignores("a.pyc", false));
  EXPECT_TRUE(rules.ignores("deep/er/a.pyc", false));
  EXPECT_FALSE(rules.ignores("deep/keep.pyc", false));
  EXPECT_TRUE(rules.ignores("data", true));
  EXPECT_FALSE(rules.ignores("src/data", true));
  EXPECT_TRUE(rules.ignores("src/logs", true));
  EXPECT_FALSE(rules.ignores("src/logs", false));
  EXPECT_TRUE(rules.ignores("doc/a.txt", false));
  EXPECT_FALSE(rules.ignores("src/doc/a.txt", false));
  EXPECT_FALSE(rules.ignores("# comment", false));
  EXPECT_TRUE(rules.ignores(" trailing", false));
}

TEST(ArenaIgnore, DeeperFilesCountMore) {
  IgnoreRules rules;
  rules.add("", "*.log\n");
  rules.add("sub", "!*.log\n/only\n");
  EXPECT_TRUE(rules.ignores("a.log", false));
  EXPECT_FALSE(rules.ignores("sub/a.log", false));
  EXPECT_TRUE(rules.ignores("sub/only", false));
  EXPECT_FALSE(rules.ignores("sub/x/only", false));
  EXPECT_FALSE(rules.ignores("only", false));
}

}  // namespace
}  // namespace trainyard::cli::arena
