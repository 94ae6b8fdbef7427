#include "cli/terminal/line_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace trainyard::cli {
namespace {

constexpr std::array<const char*, kPlotColours> kCurveColours{"36", "33", "35", "32", "34", "31"};

/// Dots in braille cells of two by four.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows)
      : columns_(columns), rows_(rows), cells_(columns * rows) {}

  long width() const { return static_cast<long>(columns_) * 2; }
  long height() const { return static_cast<long>(rows_) * 4; }

  void dot(long x, long y, std::size_t curve) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    const auto column = static_cast<std::size_t>(x / 2);
    const auto row = static_cast<std::size_t>(y / 4);
    // Unicode counts the dots down the left side, down the right side, and then the lowest two.
    static constexpr std::array<std::array<std::uint8_t, 4>, 2> kDots{
        {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
    Cell& cell = cells_[row * columns_ + column];
    cell.dots |= kDots[static_cast<std::size_t>(x % 2)][static_cast<std::size_t>(y % 4)];
    cell.curve = curve;
  }

  /// Down or up one column of dots.
  void column(long x, long from, long to, std::size_t curve) {
    for (long y = std::min(from, to); y <= std::max(from, to); ++y) dot(x, y, curve);
  }
  void line(long x0, long y0, long x1, long y1, std::size_t curve) {
    const long steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1L});
    const auto part = [steps](long whole, long i) {  // rounded
      return (2 * whole * i + (whole < 0 ? -steps : steps)) / (2 * steps);
    };
    for (long i = 0; i <= steps; ++i) dot(x0 + part(x1 - x0, i), y0 + part(y1 - y0, i), curve);
  }

  std::string row(std::size_t number, bool coloured) const {
    std::string text;
    for (std::size_t column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[number * columns_ + column];
      if (cell.dots == 0) {
        text += ' ';
        continue;
      }
      const std::string glyph{'\xe2', static_cast<char>(0xa0 | cell.dots >> 6),
                              static_cast<char>(0x80 | (cell.dots & 0x3f))};
      text += coloured ? fmt::format("\x1b[{}m{}\x1b[0m", kCurveColours[cell.curve % kPlotColours],
                                     glyph)
                       : glyph;
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
  }

 private:
  struct Cell {
    std::uint8_t dots = 0;
    std::size_t curve = 0;
  };
  std::size_t columns_;
  std::size_t rows_;
  std::vector<Cell> cells_;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  /// Where a value is on an axis of so many dots.
  long place(double value, long dots) const {
    if (high == low) return dots / 2;
    return std::lround((value / 2 - low / 2) / (high / 2 - low / 2) * double(dots - 1));
  }
};

bool is_finite(const PlotPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

/// Curves have far more points than there are dots: those of one column are drawn at once.
void draw_curve(Canvas& canvas, const Range& xs, const Range& ys, const PlotCurve& curve,
                std::size_t number) {
  bool joined = false;
  long last_x = 0;
  long last_y = 0;
  long low = 0;
  long high = 0;
  for (const PlotPoint& point : curve.points) {
    if (!is_finite(point)) {
      if (joined) canvas.column(last_x, low, high, number);
      joined = false;
      continue;
    }
    const long x = xs.place(point.x, canvas.width());
    const long y = canvas.height() - 1 - ys.place(point.y, canvas.height());
    if (joined && x == last_x) {
      low = std::min(low, y);
      high = std::max(high, y);
    } else {
      if (joined) canvas.column(last_x, low, high, number);
      if (joined) canvas.line(last_x, last_y, x, y, number);
      low = high = y;
    }
    joined = true;
    last_x = x;
    last_y = y;
  }
  if (joined) canvas.column(last_x, low, high, number);
}

std::string label(double value) {
  return fmt::format("{:.4g}", value);
}

}  // namespace

std::string draw_plot(const PlotFrame& frame, const std::vector<PlotCurve>& curves) {
  Range xs;
  Range ys;
  for (const PlotCurve& curve : curves) {
    for (const PlotPoint& point : curve.points) {
      if (!is_finite(point)) continue;
      xs.include(point.x);
      ys.include(point.y);
    }
  }
  std::string text = frame.title + "\n";
  if (ys.empty()) return text + "  no numbers\n";
  const std::size_t rows = std::max<std::size_t>(frame.rows, 2);
  std::vector<std::string> labels(rows);
  labels.front() = label(ys.high);
  labels.back() = label(ys.low);
  if (rows > 4 && ys.high > ys.low) labels[rows / 2] = label(ys.low / 2 + ys.high / 2);
  std::size_t margin = 0;
  for (const std::string& one : labels) margin = std::max(margin, one.size());
  Canvas canvas(std::max<std::size_t>(frame.columns, margin + 12) - margin - 2, rows);
  for (std::size_t i = 0; i < curves.size(); ++i) draw_curve(canvas, xs, ys, curves[i], i);
  for (std::size_t row = 0; row < rows; ++row) {
    text += fmt::format("{:>{}} {}{}\n", labels[row], margin, labels[row].empty() ? "│" : "┤",
                        canvas.row(row, frame.coloured));
  }
  const std::string first = label(xs.low);
  const std::string last = label(xs.high);
  const auto inner = static_cast<std::size_t>(canvas.width() / 2);
  text += fmt::format("{:>{}} └", "", margin);
  for (std::size_t i = 0; i < inner; ++i) text += "─";
  const std::size_t gap =
      inner > first.size() + last.size() ? inner - first.size() - last.size() : 1;
  text += fmt::format("\n{:>{}}  {}{:>{}}{}\n", "", margin, first, "", gap, last);
  if (curves.size() < 2) return text;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const char* colour = kCurveColours[i % kPlotColours];
    text += frame.coloured ? fmt::format("  \x1b[{}m━━\x1b[0m {}\n", colour, curves[i].name)
                           : fmt::format("  {}\n", curves[i].name);
  }
  return text;
}

}  // namespace trainyard::cli
