#include "cli/arena/arena.h"
#include "cli/arena/config.h"
#include "cli/arena/context.h"
#include "cli/arena/installed.h"
#include "cli/arena/log.h"
#include "cli/arena/types.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

using Words = std::vector<std::string>;

TEST(ArenaLog, WritesLevelAndSecondsBeforeTheMessage) {
  EXPECT_EQ(format_log_line(Level::kInfo, std::chrono::milliseconds(999), "a"), "INFO[0000] a");
  EXPECT_EQ(format_log_line(Level::kError, std::chrono::seconds(61), "b"), "ERRO[0061] b");
  EXPECT_EQ(format_log_line(Level::kFatal, std::chrono::seconds(12345), ""), "FATA[12345] ");
}

TEST(ArenaLog, KnowsFourLevels) {
  EXPECT_EQ(*parse_level("debug"), Level::kDebug);
  EXPECT_EQ(*parse_level("error"), Level::kError);
  EXPECT_FALSE(parse_level("INFO"));
  EXPECT_FALSE(parse_level(""));
}

TEST(ArenaConfig, SplitsAtTheFirstEqualsSignAndSkipsTheRest) {
  const Config config = parse_config(
      "# namespace=commented\n\n namespace = vision \r\nno equals sign\nimagePullSecrets= a, b "
      ",,c\n"
      "prometheus_token=x=y=z\n=nothing\nempty=");
  EXPECT_EQ(config.get("namespace"), "vision");
  EXPECT_EQ(config.get("prometheus_token"), "x=y=z");
  EXPECT_EQ(config.get("empty"), "");
  EXPECT_EQ(config.get("unknown"), "");
  EXPECT_EQ(config.get_list("imagePullSecrets"), (Words{"a", "b", "c"}));
  EXPECT_EQ(config.values.size(), 4U);
}

TEST(ArenaTypes, AreInstalledWhereTheServersListHasThem) {
  const Json list{{"resources", JsonArray{{{"name", "pytorchjobs"}}, {{"name", "tfjobs/status"}}}}};
  EXPECT_TRUE(lists_resource(list, "pytorchjobs"));
  EXPECT_FALSE(lists_resource(list, "tfjobs"));
  EXPECT_FALSE(lists_resource(JsonObject(), "tfjobs"));
}

TEST(ArenaTypes, AreKnownByEveryWordInAnyCase) {
  for (const char* word : {"pytorchjob", "PyTorch", "py"}) {
    EXPECT_EQ((*parse_type(word))->name, "pytorchjob") << word;
  }
  EXPECT_EQ((*parse_type("TF"))->name, "tfjob");
  EXPECT_EQ((*parse_type("mpi"))->name, "mpijob");
  EXPECT_FALSE((*parse_type("")).has_value());
  EXPECT_EQ(types_meant("")->size(), training_types().size());
}

TEST(ArenaTypes, OthersAreRefusedWithTheListOfThoseThereAre) {
  EXPECT_EQ(parse_type("nope").error().message(),
            "unknown job type \"nope\": the supported types are tfjob, mpijob, pytorchjob");
  EXPECT_EQ(parse_type("spark").error().message(),
            "jobs of the type sparkjob are not supported here: tfjob, mpijob, pytorchjob");
}

TEST(ArenaVisibility, HidesOthersJobsInIsolatedNamespacesOnly) {
  const auto job = [](const char* ns, const char* uid) {
    return Json{{"metadata", {{"namespace", ns}, {"labels", {{kUidLabel, uid}}}}}};
  };
  const Visibility all;
  EXPECT_TRUE(all.sees(job("a", "1")));
  const Visibility some({"a"}, "1");
  EXPECT_TRUE(some.sees(job("a", "1")));
  EXPECT_FALSE(some.sees(job("a", "2")));
  EXPECT_TRUE(some.sees(job("b", "2")));
  EXPECT_FALSE(some.sees(Json{{"metadata", {{"namespace", "a"}}}}));
}

TEST(ArenaInvocation, IsFoundByTheProgramsNameOrTheFirstWord) {
  EXPECT_EQ(find_invocation("/usr/bin/arena", {"list"})->words, (Words{"list"}));
  EXPECT_EQ(find_invocation("trainyard", {"arena", "list", "-A"})->words, (Words{"list", "-A"}));
  const auto found = find_invocation(
      "trainyard", {"--data-dir", "/d", "-n", "a", "--context=c", "arena", "top", "node"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->flags.data_dir, "/d");
  EXPECT_EQ(found->flags.ns, "a");
  EXPECT_EQ(found->flags.context, "c");
  EXPECT_EQ(found->words, (Words{"top", "node"}));
}

TEST(ArenaInvocation, LeavesOtherLinesAlone) {
  EXPECT_FALSE(find_invocation("trainyard", {"list"}));
  EXPECT_FALSE(find_invocation("trainyard", {"run", "arena"}));
  EXPECT_FALSE(find_invocation("trainyard", {"-n"}));
  EXPECT_FALSE(find_invocation("trainyard", {}));
}

}  // namespace
}  // namespace trainyard::cli::arena
