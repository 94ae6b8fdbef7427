#include "cli/start/demo_view.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(LastStep, IsTheLastThatIsWhole) {
  const auto step = last_step("hello\nstep 10/300 loss 1.0\nstep 20/300 loss 0.5 accuracy 80%\n");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->step, 20);
  EXPECT_EQ(step->steps, 300);
  EXPECT_EQ(step->rest, "loss 0.5 accuracy 80%");
}

TEST(LastStep, IsNotMadeOfWhatOnlyLooksLikeOne) {
  for (const char* log : {"", "step", "step x/3", "step 3/", "step 3/0", "step 3 of 4",
                          "a step 1/2", "step 99999999999999/3"}) {
    EXPECT_FALSE(last_step(log)) << log;
  }
}

TEST(DemoLines, ShowPhaseReplicasProgressAndTheLog) {
  DemoView view;
  view.job = "demo";
  view.phase = "Running";
  view.seconds = 3;
  view.replicas = {{"worker-0", "Running"}, {"worker-1", "Pending"}};
  view.step = DemoStep{150, 300, "loss 0.2"};
  view.lines = {"one", "two"};
  std::string all;
  for (const std::string& line : demo_lines(view, 80)) all += line + "\n";
  for (const char* wanted : {"demo  Running  3 s", "worker-1 Pending", "50 %  step 150 of 300",
                             "loss 0.2", "[####", "    two\n"}) {
    EXPECT_NE(all.find(wanted), std::string::npos) << wanted << "\n" << all;
  }
}

TEST(DemoLines, AreNeverWiderThanTheTerminalAndMoveNoCursor) {
  DemoView view;
  view.job = "demo";
  view.lines = {"\x1b[2J" + std::string(500, 'x'), "中文中文中文中文中文"};
  for (const int width : {1, 10, 20, 80}) {
    for (const std::string& line : demo_lines(view, width)) {
      EXPECT_EQ(line.find('\x1b'), std::string::npos);
      EXPECT_EQ(line.find('\n'), std::string::npos);
    }
  }
  EXPECT_LT(demo_lines(view, 20).at(4).size(), 20U);
}

TEST(DemoLines, EndWhenNobodyRuns) {
  DemoView view;
  view.replicas = {{"worker-0", "Succeeded"}, {"worker-1", "Running"}};
  EXPECT_FALSE(view.all_ended());
  view.replicas[1].second = "Succeeded";
  EXPECT_TRUE(view.all_ended());
}

TEST(LastLinesOf, LeavesOutEmptyOnes) {
  EXPECT_EQ(last_lines_of("a\n\nb\nc", 2), (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(last_lines_of("", 2).empty());
}

}  // namespace
}  // namespace trainyard::cli
