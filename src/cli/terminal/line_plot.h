#pragma once

#include <string>
#include <vector>

namespace trainyard::cli {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotCurve {
  std::string name;
  std::vector<PlotPoint> points;  // in the order in which they are joined
};

struct PlotFrame {
  std::string title;
  std::size_t columns = 80;  // of the terminal
  std::size_t rows = 12;     // of the plot itself
  bool coloured = false;     // without, curves cannot be told apart: draw one only
};

/// Curves drawn with braille characters, eight dots each, between axes with numbers. Points that
/// are not finite leave a gap.
std::string draw_plot(const PlotFrame& frame, const std::vector<PlotCurve>& curves);

/// How many curves have a colour of their own.
inline constexpr std::size_t kPlotColours = 6;

}  // namespace trainyard::cli
