#include "cli/logs/log_merge.h"

namespace trainyard::cli {

LogMerger::LogMerger(std::size_t sources, bool keep_times)
    : sources_(sources), keep_times_(keep_times) {}

void LogMerger::add_line(std::size_t number, std::string text) {
  Source& source = sources_[number];
  const std::size_t blank = text.find(' ');
  if (const auto time = parse_time(std::string_view(text).substr(0, blank))) {
    source.last =
        std::max(source.last, *time);  // a log keeps its own order, whatever the clock did
    if (!keep_times_) text.erase(0, blank == std::string::npos ? blank : blank + 1);
  }
  source.lines.push_back({number, source.last, std::move(text)});
}

void LogMerger::put(std::size_t number, std::string_view bytes) {
  std::string& rest = sources_[number].rest;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    rest += bytes.substr(0, end == std::string_view::npos ? end : end + 1);
    if (end == std::string_view::npos) return;
    add_line(number, std::move(rest));
    rest.clear();
    bytes.remove_prefix(end + 1);
  }
}

void LogMerger::end(std::size_t number) {
  Source& source = sources_[number];
  source.ended = true;
  if (!source.rest.empty()) add_line(number, std::move(source.rest));
  source.rest.clear();
}

std::vector<std::size_t> LogMerger::wanted() const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (!sources_[i].ended && sources_[i].lines.empty()) numbers.push_back(i);
  }
  return numbers;
}

std::vector<LogMerger::Line> LogMerger::take() {
  std::vector<Line> taken;
  while (wanted().empty()) {
    Source* first = nullptr;
    for (Source& source : sources_) {
      if (source.lines.empty()) continue;
      if (first == nullptr || source.lines.front().time < first->lines.front().time) {
        first = &source;
      }
    }
    if (first == nullptr) break;
    taken.push_back(std::move(first->lines.front()));
    first->lines.pop_front();
  }
  return taken;
}

}  // namespace trainyard::cli
