#include "contract/mpirun_words.h"

#include <algorithm>
#include <array>

namespace trainyard::contract {
namespace {

using Lines = std::vector<std::string_view>;

bool is_ruler(std::string_view line) {
  constexpr std::size_t kShortest = 60;
  return line.size() >= kShortest && line.find_first_not_of('-') == std::string_view::npos;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool is_refusal(std::string_view line) {
  // It calls itself as it was called, mostly by its path.
  return line.find("mpirun: Error: ") != line.npos || line.find("mpiexec: Error: ") != line.npos;
}

/// What the launcher of a job writes before mpirun has anything to say.
bool is_of_launcher(std::string_view line) {
  return line == "services are ready!" || line.starts_with("mpirun: /") ||
         line.starts_with("Warning: Permanently added ");
}

/// Reports that something ended, which others must explain.
bool tells_consequence(std::string_view report) {
  constexpr std::array kBeginnings = {
      "Primary job  terminated normally", "mpirun detected that one or more processes",
      "mpirun noticed that process rank", "An internal error has occurred in ORTE"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](const char* beginning) { return report.starts_with(beginning); });
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

/// Its first paragraph in one line, and the one that it announces with a colon.
std::string in_one_line(const Lines& report) {
  std::string text;
  for (std::size_t i = 0; i < report.size(); ++i) {
    if (is_blank(report[i])) {
      if (!text.empty() && !text.ends_with(':')) break;
      continue;
    }
    text += (text.empty() ? "" : " ") + std::string(trimmed(report[i]));
  }
  return text;
}

void take_report(MpirunLog& log, const Lines& report) {
  if (report.empty()) return;
  std::string& place = tells_consequence(report.front()) ? log.consequence : log.refusal;
  if (place.empty()) place = in_one_line(report);
}

}  // namespace

MpirunLog read_mpirun_log(const Lines& lines) {
  MpirunLog log;
  bool reported = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_refusal(lines[i])) {
      log.found = true;
      if (log.refusal.empty()) log.refusal = lines[i];
    } else if (is_ruler(lines[i])) {
      const auto end =
          std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, lines.end(), is_ruler);
      if (end == lines.end()) break;
      const Lines report(lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, end);
      take_report(log, report);
      log.found = log.found || !report.empty();
      reported = reported || (!report.empty() && tells_consequence(report.front()));
      i = static_cast<std::size_t>(end - lines.begin());
    } else if (!reported && !is_of_launcher(lines[i])) {
      log.lines.push_back(lines[i]);
    }
  }
  return log;
}

}  // namespace trainyard::contract
