#include "node/pod/termination_message.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "node/run/container_run.h"
#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace trainyard::node {
namespace {

std::string words_of(const TestFolder& folder, const std::string& policy, int code) {
  RunState state;
  state.exit_code = code;
  state.message = "the shim's";
  add_last_words(folder.path(), *parse_json_or_yaml("terminationMessagePolicy: " + policy), state);
  return state.message;
}

TEST(TerminationMessage, IsWhatTheContainerWroteElseWhatTheShimSaid) {
  TestFolder folder;
  EXPECT_EQ(words_of(folder, "File", 1), "the shim's");
  ASSERT_TRUE(write_file(folder.path() / kTerminationLog, "", 0644));
  EXPECT_EQ(words_of(folder, "File", 1), "the shim's");
  ASSERT_TRUE(write_file(folder.path() / kTerminationLog, "out of ideas", 0644));
  EXPECT_EQ(words_of(folder, "File", 0), "out of ideas");
  ASSERT_TRUE(write_file(folder.path() / kTerminationLog, std::string(10'000, 'x'), 0644));
  EXPECT_EQ(words_of(folder, "File", 0).size(), 4096U);
}

TEST(TerminationMessage, FallsBackToTheLogOnErrorsOnly) {
  TestFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "log",
                         "2026-03-01T10:00:00.000000000Z stdout F loading\n"
                         "2026-03-01T10:00:01.000000000Z stderr P no such \n"
                         "2026-03-01T10:00:01.000000000Z stderr F file\n",
                         0644));
  EXPECT_EQ(words_of(folder, "FallbackToLogsOnError", 1), "loading\nno such file\n");
  EXPECT_EQ(words_of(folder, "FallbackToLogsOnError", 0), "the shim's");
  EXPECT_EQ(words_of(folder, "File", 1), "the shim's");
}

TEST(TerminationMessage, TakesTheLastLinesOfALongLog) {
  std::string records;
  for (int i = 0; i < 200; ++i) records += "T stdout F " + std::to_string(i) + "\n";
  const std::string lines = end_of_log(records);
  EXPECT_TRUE(lines.starts_with("120\n") && lines.ends_with("199\n")) << lines;
  const std::string wide = end_of_log("cut record\nT stdout F " + std::string(5000, 'x') + "\n");
  EXPECT_EQ(wide.size(), 2048U);
  EXPECT_EQ(end_of_log(""), "");
}

TEST(TerminationMessage, ReadsNothingButAFile) {
  TestFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / kTerminationLog).c_str(), 0600), 0);
  EXPECT_EQ(words_of(folder, "File", 1), "the shim's") << "and does not wait for it";
}

}  // namespace
}  // namespace trainyard::node
