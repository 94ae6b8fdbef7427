#include "cli/terminal/phase_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace trainyard::cli {
namespace {

constexpr int kRed = 31;
constexpr int kGreen = 32;
constexpr int kYellow = 33;
constexpr int kBlue = 34;

int colour_of(const std::string& phase) {
  if (phase == "Succeeded") return kGreen;
  if (phase == "Running") return kBlue;
  if (phase == "Failed" || phase == "Unknown") return kRed;
  return kYellow;  // what is not at its end and does not run: Pending, Paused, Restarting …
}

std::string in_colour(const std::string& text, int colour) {
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

std::string duration_words(std::chrono::seconds took) {
  const auto all = std::max<std::int64_t>(0, took.count());
  if (all < 60) return fmt::format("{} s", all);
  if (all < 3600) return fmt::format("{} m {} s", all / 60, all % 60);
  return fmt::format("{} h {} m", all / 3600, all % 3600 / 60);
}

std::string value_words(double value) {
  const double size = std::abs(value);
  if (size >= 0.1 && size < 1000) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

bool is_loss(const std::pair<std::string, double>& value) {
  std::string name = value.first;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find("loss") != std::string::npos;
}

}  // namespace

std::string coloured_phase(const std::string& phase, bool coloured) {
  return coloured ? in_colour(phase, colour_of(phase)) : phase;
}

std::string end_line(const JobEnd& end, bool coloured) {
  const bool succeeded = end.phase == "Succeeded";
  const std::string sign = succeeded ? "✓" : "✗";
  std::string phase = end.phase;
  phase.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(phase.front())));
  std::string line = fmt::format(
      "{} {} {}", coloured ? in_colour(sign, colour_of(end.phase)) : sign, end.job, phase);
  if (end.took) {
    line += fmt::format(" {} {}", succeeded ? "in" : "after", duration_words(*end.took));
  }
  if (!end.reason.empty()) line += ": " + end.reason;
  if (!succeeded) return line;
  constexpr std::size_t kMostValues = 2;
  std::vector<std::pair<std::string, double>> values = end.values;
  // Losses first; values come in the order of their names.
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    return is_loss(a) != is_loss(b) ? is_loss(a) : a.first < b.first;
  });
  for (std::size_t i = 0; i < std::min(values.size(), kMostValues); ++i) {
    line += fmt::format(" · {} {}", values[i].first, value_words(values[i].second));
  }
  return line;
}

}  // namespace trainyard::cli
