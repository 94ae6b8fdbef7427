#include "contract/last_words.h"

#include "contract/mpirun_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace trainyard::contract {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kLongestLine = 240;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "[rank0]: " and the like, with which launchers tag lines.
std::string_view without_tag(std::string_view line) {
  if (!line.starts_with('[')) return line;
  const std::size_t end = line.find("]:");
  constexpr std::size_t kLongestTag = 24;
  if (end == std::string_view::npos || end > kLongestTag) return line;
  line.remove_prefix(end + 2);
  if (line.starts_with(' ')) line.remove_prefix(1);
  return line;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(without_tag(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool starts_traceback(std::string_view line) {
  return line.starts_with("Traceback (most recent call last):");
}

/// Lines of torchrun's own log, in the forms of old and new versions.
bool is_of_torchrun(std::string_view line) {
  return contains(line, "torch.distributed.elastic.") ||
         contains(line, "torch/distributed/elastic/") || contains(line, "torch.distributed.run:") ||
         contains(line, "torch/distributed/run.py:");
}

bool says_that_a_process_failed(std::string_view line) {
  return is_of_torchrun(line) && contains(line, "failed (exitcode:");
}

/// Cuts off the report with which torchrun ends: its own traceback and a table.
bool cut_report(Lines& lines) {
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (!contains(lines[i], "ChildFailedError")) continue;
    std::size_t begin = i;
    while (begin > 0 && !starts_traceback(lines[begin])) --begin;
    lines.resize(starts_traceback(lines[begin]) ? begin : 0);
    return true;
  }
  return false;
}

/// What the processes wrote in torchrun's last try, without torchrun's own lines.
Lines last_try(const Lines& lines) {
  std::size_t end = lines.size();
  while (end > 0 && !says_that_a_process_failed(lines[end - 1])) --end;
  if (end == 0) end = lines.size();  // the log does not say where
  std::size_t begin = end == 0 ? 0 : end - 1;
  while (begin > 0 && !says_that_a_process_failed(lines[begin - 1])) --begin;
  Lines own;
  for (std::size_t i = begin; i < end; ++i) {
    if (!is_of_torchrun(lines[i])) own.push_back(lines[i]);
  }
  return own;
}

/// The last line of the traceback that begins there; empty: it was cut off.
std::string_view end_of_traceback(const Lines& lines, std::size_t begin) {
  for (std::size_t i = begin + 1; i < lines.size(); ++i) {
    if (is_blank(lines[i]) || lines[i].starts_with(' ')) continue;
    return lines[i];
  }
  return {};
}

/// Where Python says that an error came of another: the later one is what ended the program.
bool is_chained(const Lines& lines, std::size_t traceback) {
  for (std::size_t i = traceback; i-- > 0 && traceback - i <= 3;) {
    if (lines[i].starts_with("During handling of the above exception") ||
        lines[i].starts_with("The above exception was the direct cause")) {
      return true;
    }
  }
  return false;
}

std::string_view find_traceback(const Lines& lines, bool first) {
  std::string_view found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!starts_traceback(lines[i])) continue;
    const std::string_view end = end_of_traceback(lines, i);
    if (end.empty()) continue;
    if (first && !found.empty() && !is_chained(lines, i)) break;
    found = end;
  }
  return found;
}

std::string shortened(std::string_view line) {
  if (line.size() <= kLongestLine) return std::string(line);
  line = line.substr(0, kLongestLine);
  // Not through the middle of a character.
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U) {
    line.remove_suffix(1);
  }
  if (!line.empty() && static_cast<unsigned char>(line.back()) >= 0xC0U) line.remove_suffix(1);
  return std::string(line) + "…";
}

}  // namespace

LastWords read_last_words(std::string_view text) {
  Lines lines = split(text);
  LastWords words;
  const MpirunLog mpirun = read_mpirun_log(lines);
  if (mpirun.found) lines = mpirun.lines;
  words.launcher = cut_report(lines);
  if (words.launcher) lines = last_try(lines);
  std::string_view line = find_traceback(lines, words.launcher || mpirun.found);
  words.traceback = !line.empty();
  if (line.empty()) line = mpirun.refusal;
  for (std::size_t i = lines.size(); line.empty() && i-- > 0;) {
    if (!is_blank(lines[i])) line = lines[i];
  }
  if (line.empty()) line = mpirun.consequence;
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = line.find_last_not_of(" \t\r");
  if (end != std::string_view::npos) words.line = shortened(line.substr(begin, end + 1 - begin));
  return words;
}

std::string end_note(std::string_view container, std::string_view time, std::string_view line) {
  return fmt::format("{} ended at {}{}{}", container, time, line.empty() ? "" : ": ", line);
}

EndNote find_end_note(std::string_view message, std::string_view container) {
  const std::string beginning = fmt::format("{} ended at ", container);
  while (!message.empty()) {
    std::string_view note = message.substr(0, message.find('\n'));
    message.remove_prefix(std::min(note.size() + 1, message.size()));
    if (!note.starts_with(beginning)) continue;
    note.remove_prefix(beginning.size());
    const std::size_t colon = note.find(": ");
    EndNote found;
    found.time = note.substr(0, colon);
    if (colon != std::string_view::npos) found.line = note.substr(colon + 2);
    return found;
  }
  return {};
}

}  // namespace trainyard::contract
