#include "cli/terminal/line_plot.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard::cli {
namespace {

PlotFrame small() {
  PlotFrame frame;
  frame.title = "loss";
  frame.columns = 16;
  frame.rows = 3;
  return frame;
}

TEST(LinePlot, DrawsALineBetweenItsEnds) {
  PlotCurve curve{"run", {{0, 0}, {100, 10}}};
  EXPECT_EQ(draw_plot(small(), {curve}),
            "loss\n"
            "10 ┤        ⣀⠤⠒⠉\n"
            "   │    ⣀⠤⠒⠉\n"
            " 0 ┤⣀⠤⠒⠉\n"
            "   └────────────\n"
            "    0        100\n");
}

TEST(LinePlot, LeavesGapsWhereThereAreNoNumbers) {
  PlotCurve curve{"run", {{0, 1}, {1, 1}, {2, std::nan("")}, {3, 1}, {4, INFINITY}}};
  const std::string drawn = draw_plot(small(), {curve});
  EXPECT_NE(drawn.find("1 ┤"), std::string::npos) << drawn;
  EXPECT_EQ(draw_plot(small(), {{"run", {{0, std::nan("")}}}}), "loss\n  no numbers\n");
  EXPECT_EQ(draw_plot(small(), {}), "loss\n  no numbers\n");
}

TEST(LinePlot, GivesEachCurveAColourAndALine) {
  PlotFrame frame = small();
  frame.coloured = true;
  const std::string drawn =
      draw_plot(frame, {{"one", {{0, 0}, {1, 1}}}, {"two", {{0, 1}, {1, 0}}}});
  EXPECT_NE(drawn.find("\x1b[36m━━\x1b[0m one\n"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("\x1b[33m━━\x1b[0m two\n"), std::string::npos) << drawn;
}

TEST(LinePlot, SurvivesTheLargestNumbers) {
  const double most = std::numeric_limits<double>::max();
  const std::string drawn = draw_plot(small(), {{"run", {{-most, -most}, {most, most}}}});
  EXPECT_NE(drawn.find("1.798e+308 ┤"), std::string::npos) << drawn;
}

}  // namespace
}  // namespace trainyard::cli
