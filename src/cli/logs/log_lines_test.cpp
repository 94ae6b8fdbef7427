#include "cli/logs/log_lines.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(LogLines, OfOneReplicaPassAsTheyAre) {
  LineTagger tagger({"node-0"}, true);
  EXPECT_EQ(tagger.put("node-0", "50%\r100%"), "50%\r100%");
  EXPECT_EQ(tagger.finish("node-0"), "");
}

TEST(LogLines, OfSeveralReplicasAreNeverMixedWithinALine) {
  LineTagger tagger({"worker-0", "worker-1"}, false);
  EXPECT_EQ(tagger.put("worker-0", "epoch"), "");
  EXPECT_EQ(tagger.put("worker-1", "loss 1\nloss"), "[worker-1] loss 1\n");
  EXPECT_EQ(tagger.put("worker-0", " 1\n"), "[worker-0] epoch 1\n");
  EXPECT_EQ(tagger.finish("worker-1"), "[worker-1] loss\n");
  EXPECT_EQ(tagger.finish("worker-1"), "");
}

TEST(LogLines, ShowOfAProgressBarWhatATerminalWould) {
  LineTagger tagger({"a", "b"}, false);
  EXPECT_EQ(tagger.put("a", " 10%\r 50%\r100%\n"), "[a] 100%\n");
  EXPECT_EQ(tagger.put("a", "windows\r\n"), "[a] windows\n");
}

TEST(LogLines, EndWhereAProgramNeverEndsThem) {
  LineTagger tagger({"a", "b"}, false);
  const std::string long_line(70'000, 'x');
  EXPECT_EQ(tagger.put("a", long_line), "[a] " + long_line + "\n");
}

TEST(LogLines, HaveAColourForEachReplica) {
  LineTagger tagger({"a", "b"}, true);
  const std::string first = tagger.put("a", "1\n");
  const std::string second = tagger.put("b", "1\n");
  EXPECT_EQ(first, "\x1b[36m[a]\x1b[0m 1\n");
  EXPECT_EQ(second, "\x1b[33m[b]\x1b[0m 1\n");
}

}  // namespace
}  // namespace trainyard::cli
