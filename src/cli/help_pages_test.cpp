#include "cli/help_pages.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

/// A small program with one of everything.
struct Program {
  Program() {
    app.add_option("-n,--namespace", text, "where");
    CLI::App* copy = app.add_subcommand("cp", "Copy files.");
    copy->group("Data");
    copy->add_option("places", places, "from and to")->required();
    copy->add_option("-o,--output", output, "how")->check(CLI::IsMember({"json", "yaml"}));
    copy->add_option("--size", size, "how much")->capture_default_str();
    copy->add_flag("-r", recursive, "folders too");
    copy->add_option("--secret", text)->group("");
    copy->footer("What is there is replaced.\n\nExamples:\n  trainyard cp a b\n  .hidden - '\n");
    app.add_subcommand("__complete", "")->group("");
  }
  std::string text, output, size = "10Gi";
  std::vector<std::string> places;
  bool recursive = false;
  CLI::App app{"Does things.", "trainyard"};
};

TEST(ReadHelp, KnowsCommandsFlagsAndArgumentsButNothingHidden) {
  const Program program;
  const HelpPage all = read_help(program.app);
  ASSERT_EQ(all.pages.size(), 1U);
  const HelpPage& copy = all.pages.front();
  EXPECT_EQ(copy.command, "trainyard cp");
  EXPECT_EQ(copy.group, "Data");
  EXPECT_EQ(usage_of(copy), "trainyard cp [FLAGS] PLACES…");
  ASSERT_EQ(copy.flags.size(), 3U);
  EXPECT_EQ(copy.flags[0].names, "-o, --output");
  EXPECT_EQ(copy.flags[0].value, "json|yaml");
  EXPECT_EQ(copy.flags[1].fallback, "10Gi");
  EXPECT_EQ(copy.flags[2].names, "-r");
  EXPECT_EQ(copy.flags[2].value, "");
  ASSERT_EQ(copy.arguments.size(), 1U);
  EXPECT_TRUE(copy.arguments[0].required);
}

TEST(FindPage, GoesDownAndNamesWhatIsNotThere) {
  const Program program;
  const HelpPage all = read_help(program.app);
  EXPECT_EQ((*find_page(all, {}))->command, "trainyard");
  EXPECT_EQ((*find_page(all, {"cp"}))->command, "trainyard cp");
  const auto none = find_page(all, {"mv"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message().find("mv"), std::string::npos);
}

TEST(SplitFooter, TellsProseFromLinesThatStandAsTheyAre) {
  const auto blocks = split_footer("One\ntwo\n\nExamples:\n  a\n  b\n\nthree\n");
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].text, "One\ntwo\n");
  EXPECT_EQ(blocks[1].text, "Examples:\n");
  EXPECT_TRUE(blocks[2].code);
  EXPECT_EQ(blocks[2].text, "a\nb\n");
  EXPECT_FALSE(blocks[3].code);
  const auto inline_one = split_footer("Example: trainyard scale JOB 3");
  ASSERT_EQ(inline_one.size(), 2U);
  EXPECT_EQ(inline_one[1].text, "trainyard scale JOB 3\n");
  EXPECT_TRUE(split_footer("").empty());
}

TEST(ToMarkdown, HasATableOfFlagsAndExamplesAsCode) {
  const Program program;
  const std::string text = to_markdown(read_help(program.app));
  EXPECT_NE(text.find("## `trainyard cp`\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| `-o, --output json\\|yaml` | how |"), std::string::npos) << text;
  EXPECT_NE(text.find("how much (default: 10Gi)"), std::string::npos) << text;
  EXPECT_NE(text.find("```sh\ntrainyard cp a b\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
}

TEST(ToMan, EscapesWhatTheTypesetterWouldTakeForACommand) {
  const Program program;
  const std::string text = to_man(read_help(program.app), "1.2");
  EXPECT_TRUE(text.starts_with(".TH TRAINYARD 1")) << text;
  EXPECT_NE(text.find("\\fB\\-o, \\-\\-output\\fR \\fIjson|yaml\\fR"), std::string::npos) << text;
  EXPECT_NE(text.find("\n\\&.hidden \\- '\n"), std::string::npos) << text;
  EXPECT_NE(text.find(".SS trainyard cp\n"), std::string::npos) << text;
}

TEST(ToJson, IsWhatTheParserKnows) {
  const Program program;
  const Json json = to_json(read_help(program.app));
  const Json& copy = array_at(json, "commands").front();
  EXPECT_EQ(string_at(copy, "usage"), "trainyard cp [FLAGS] PLACES…");
  EXPECT_EQ(array_at(copy, "flags").size(), 3U);
}

}  // namespace
}  // namespace trainyard::cli
