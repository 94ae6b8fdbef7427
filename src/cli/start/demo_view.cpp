#include "cli/start/demo_view.h"

#include "cli/terminal/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::cli {
namespace {

/// Cut at the edge of the terminal, not within a letter; nothing in it moves the cursor.
std::string fitted(const std::string& line, int width) {
  std::string out;
  int letters = 0;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) continue;
    if ((byte & 0xc0) != 0x80 && ++letters > width) break;
    out += c;
  }
  return out;
}

bool read_number(std::string_view& text, int& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return true;
}

std::optional<DemoStep> parse_step(std::string_view line) {
  constexpr std::string_view kBegin = "step ";
  if (!line.starts_with(kBegin)) return std::nullopt;
  line.remove_prefix(kBegin.size());
  DemoStep step;
  if (!read_number(line, step.step) || !line.starts_with('/')) return std::nullopt;
  line.remove_prefix(1);
  if (!read_number(line, step.steps) || step.steps <= 0 || step.step < 0) return std::nullopt;
  if (line.starts_with(' ')) line.remove_prefix(1);
  step.rest = line;
  return step;
}

}  // namespace

bool DemoView::all_ended() const {
  return std::none_of(replicas.begin(), replicas.end(), [](const auto& replica) {
    const std::string& phase_now = replica.second;
    return phase_now == "Running" || phase_now == "Pending" || phase_now == "Creating";
  });
}

std::vector<std::string> last_lines_of(std::string_view log, std::size_t count) {
  std::vector<std::string> lines;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    if (end > 0) lines.emplace_back(log.substr(0, end));
    log.remove_prefix(std::min(log.size(), end + 1));
  }
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<long>(count));
  return lines;
}

std::optional<DemoStep> last_step(std::string_view log) {
  std::optional<DemoStep> last;
  for (const std::string& line : last_lines_of(log, SIZE_MAX)) {
    if (auto step = parse_step(line)) last = std::move(step);
  }
  return last;
}

std::vector<std::string> demo_lines(const DemoView& view, int width) {
  std::vector<std::string> lines;
  const auto add = [&](const char* what, const std::string& text) {
    lines.push_back(fitted(fmt::format("  {:<9} {}", what, text), width - 1));
  };
  add("job", fmt::format("{}  {}  {} s", view.job, view.phase, view.seconds));
  std::string replicas;
  for (const auto& [name, phase] : view.replicas) {
    replicas += fmt::format("{}{} {}", replicas.empty() ? "" : ", ", name, phase);
  }
  add("replicas", replicas.empty() ? "none yet" : replicas);
  if (!view.waits_for.empty()) add("waits", view.waits_for);
  const double part = view.step ? static_cast<double>(view.step->step) / view.step->steps : 0;
  const int places = std::clamp(width - 50, 10, 40);
  add("progress", view.step ? fmt::format("{} {:3.0f} %  step {} of {}", bar_of(part, places),
                                          100 * part, view.step->step, view.step->steps)
                            : bar_of(0, places));
  if (view.step && !view.step->rest.empty()) add("now", view.step->rest);
  lines.emplace_back();
  for (const std::string& line : view.lines) lines.push_back(fitted("    " + line, width - 1));
  return lines;
}

}  // namespace trainyard::cli
