#include "cli/terminal/pip_progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

/// What stands behind `begin`, up to the next space and what is in brackets there.
std::string_view word_behind(std::string_view line, std::string_view begin) {
  line.remove_prefix(begin.size());
  return line.substr(0, line.find(' '));
}

/// The file's name at the end of an address, with its size: "…/x-1.whl (3 kB)" is "x-1.whl (3 kB)".
std::string_view file_behind(std::string_view line, std::string_view begin) {
  line.remove_prefix(begin.size());
  const std::size_t size = std::min(line.find(" ("), line.size());
  const std::size_t slash = line.substr(0, size).rfind('/');
  if (slash != std::string_view::npos) line.remove_prefix(slash + 1);
  return line.substr(0, std::min(line.find(')'), line.size() - 1) + 1);
}

}  // namespace

std::string PipProgress::take(std::string_view text) {
  std::string told;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    begun_ += text.substr(0, end);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    told += take_line(begun_);
    begun_.clear();
  }
  return told;
}

std::string PipProgress::take_line(std::string_view line) {
  constexpr std::string_view kFound = "Collecting ";
  constexpr std::string_view kDownloads = "Downloading ";
  constexpr std::string_view kUnpacks = "Installing collected packages: ";
  // What belongs to a complaint is indented below it.
  const bool goes_on = complains_ && line.starts_with(' ');
  complains_ = goes_on || line.starts_with("ERROR") || line.starts_with("WARNING") ||
               line.starts_with("error:") || line.starts_with("Traceback");
  if (complains_) return fmt::format("{}\n", line);
  while (line.starts_with(' ')) line.remove_prefix(1);
  if (line.starts_with(kFound)) {
    ++found_;
    current_ = fmt::format("looking for {}", word_behind(line, kFound));
  } else if (line.starts_with(kDownloads) && line.size() > kDownloads.size()) {
    current_ = fmt::format("downloading {}", file_behind(line, kDownloads));
  } else if (line.starts_with(kUnpacks)) {
    unpacked_ = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  }
  return "";
}

std::string PipProgress::text() const {
  if (unpacked_ > 0) return fmt::format("unpacking {} packages", unpacked_);
  if (found_ == 0) return "asking PyPI";
  return fmt::format("{} package{} found, {}", found_, found_ == 1 ? "" : "s", current_);
}

}  // namespace trainyard::cli
