#include "cli/arena/command.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

using Words = std::vector<std::string>;

/// A small tree: `arena run [--env K=V] [--count N] [-f] [-q] WORD…`, `arena top node`.
class ArenaLineTest : public testing::Test {
 protected:
  ArenaLineTest() {
    root_.name = "arena";
    root_.flags.text("namespace", 'n', ns_, "NAMESPACE", "");
    Command& run = root_.add("run", "Run.");
    run.aliases = {"r"};
    run.least_words = 1;
    run.most_words = Command::kAnyNumber;
    run.missing = "say what";
    run.run = [](Context&, const Words&) -> Result<int> { return 0; };
    run.flags.texts("env", 'e', env_, "K=V", "variables");
    run.flags.number("count", 'c', count_, "N", "how many");
    run.flags.toggle("follow", 'f', follow_, "follow");
    run.flags.toggle("quiet", 'q', quiet_, "quiet");
    run.flags.text("working-dir", 0, dir_, "DIR", "where").once_called("workingDir");
    run.flags.text("color", 0, color_, "COLOR", "which").among({"red", "blue"});
    Command& top = root_.add("top", "Top.");
    Command& node = top.add("node", "Nodes.");
    node.most_words = 1;
    node.run = [](Context&, const Words&) -> Result<int> { return 0; };
    Command& absent = root_.add("serve", "Not here.");
    absent.takes_anything = true;
  }

  Result<ParsedLine> parse(const Words& words) { return parse_line(root_, words); }
  std::string failure(const Words& words) {
    const auto line = parse(words);
    return line ? "" : line.error().message();
  }

  Command root_;
  std::string ns_, dir_ = "/root", color_;
  Words env_;
  std::int64_t count_ = 1;
  bool follow_ = false, quiet_ = false;
};

TEST_F(ArenaLineTest, TakesValuesInEveryForm) {
  const auto line = parse({"run", "--count=3", "-e", "A=1", "-eB=2", "--env", "C=3", "word"});
  ASSERT_TRUE(line);
  EXPECT_EQ(count_, 3);
  EXPECT_EQ(env_, (Words{"A=1", "B=2", "C=3"}));
  EXPECT_EQ(line->words, (Words{"word"}));
  EXPECT_EQ(line->path, "arena run");
}

TEST_F(ArenaLineTest, LeavesValuesAsTheyAre) {
  const Words hard = {"A=1,2,3", "B=[1,2]", "C=\"x y\"", "D=a=b",
                      "E= f ",   "F=",      "--g",       "{\"h\":1}"};
  Words words = {"run", "x"};
  for (const std::string& value : hard) words.push_back("--env=" + value);
  for (const std::string& value : hard) words.insert(words.end(), {"--env", value});
  ASSERT_TRUE(parse(words));
  Words twice = hard;
  twice.insert(twice.end(), hard.begin(), hard.end());
  EXPECT_EQ(env_, twice);
}

TEST_F(ArenaLineTest, GroupsSwitchesAndEndsAGroupWithAValue) {
  ASSERT_TRUE(parse({"run", "-fqc7", "x"}));
  EXPECT_TRUE(follow_ && quiet_);
  EXPECT_EQ(count_, 7);
}

TEST_F(ArenaLineTest, SwitchesTakeAValueOnlyBehindAnEqualsSign) {
  const auto line = parse({"run", "--follow", "false", "--quiet=false"});
  ASSERT_TRUE(line);
  EXPECT_TRUE(follow_);
  EXPECT_FALSE(quiet_);
  EXPECT_EQ(line->words, (Words{"false"}));
}

TEST_F(ArenaLineTest, KnowsGlobalFlagsBeforeAndBehindTheCommand) {
  ASSERT_TRUE(parse({"-n", "a", "run", "x"}));
  EXPECT_EQ(ns_, "a");
  ASSERT_TRUE(parse({"run", "x", "--namespace", "b"}));
  EXPECT_EQ(ns_, "b");
}

TEST_F(ArenaLineTest, FlagsMayStandBetweenWordsUntilTwoDashes) {
  const auto line = parse({"run", "a", "-f", "b", "--", "-q", "run", "c"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->words, (Words{"a", "b", "-q", "run", "c"}));
  EXPECT_FALSE(quiet_);
}

TEST_F(ArenaLineTest, OldSpellingsWorkAndAreTold) {
  const auto line = parse({"r", "--workingDir", "/w", "x"});
  ASSERT_TRUE(line);
  EXPECT_EQ(dir_, "/w");
  EXPECT_EQ(line->notices,
            (Words{"Flag --workingDir has been deprecated, please use --working-dir instead"}));
}

TEST_F(ArenaLineTest, SaysWhatIsWrong) {
  EXPECT_EQ(failure({"run", "--nope", "x"}),
            "unknown flag --nope: `arena run --help` lists those there are");
  EXPECT_EQ(failure({"run", "-x"}), "unknown flag -x: `arena run --help` lists those there are");
  EXPECT_EQ(failure({"run", "x", "--count"}), "--count needs a value: --count N");
  EXPECT_EQ(failure({"run", "x", "--count", "3x"}),
            "invalid value \"3x\" of --count: it must be a whole number");
  EXPECT_EQ(failure({"run", "x", "--color", "green"}),
            "invalid value \"green\" of --color: it can be red, blue");
  EXPECT_EQ(failure({"nope"}), "unknown command \"nope\" of arena: `arena --help` lists all");
  EXPECT_EQ(failure({"top", "node", "a", "b"}), "\"b\" is one word too many: arena top node ");
}

TEST_F(ArenaLineTest, GroupsAndMissingWordsGetTheHelp) {
  EXPECT_TRUE(parse({})->wants_help);
  EXPECT_TRUE(parse({"top"})->wants_help);
  EXPECT_TRUE(parse({"run", "-h"})->wants_help);
  EXPECT_TRUE(parse({"help", "run"})->wants_help);
  const auto line = parse({"run"});
  EXPECT_FALSE(line->wants_help);
  EXPECT_TRUE(line->lacks_words);
}

TEST_F(ArenaLineTest, RequiredFlagsAreAskedForOnlyWhenTheWordsAreThere) {
  root_.find("run")->flags.find("color")->must_be_given();
  EXPECT_TRUE(parse({"run"})->lacks_words);
  EXPECT_EQ(failure({"run", "x"}), "required flag --color is missing: add --color COLOR");
}

TEST_F(ArenaLineTest, CommandsThatAreNotHereTakeAnything) {
  const auto line = parse({"serve", "list", "--whatever", "-zz"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->path, "arena serve");
}

TEST_F(ArenaLineTest, HelpShowsFlagsWithTheirDefaults) {
  const auto line = parse({"run", "--help"});
  ASSERT_TRUE(line);
  const std::string text = help_text(root_, *line);
  EXPECT_NE(text.find("  -e, --env K=V          variables (may be repeated)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("      --working-dir DIR  where (default /root)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("Aliases:\n  run, r\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace trainyard::cli::arena
