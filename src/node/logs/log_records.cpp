#include "node/logs/log_records.h"

#include <algorithm>

namespace trainyard::node {

LogRecord read_record(std::string_view line) {
  LogRecord record;
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos ||
      second + 2 >= line.size()) {
    record.text = line;  // not ours; better shown as it is than lost
    return record;
  }
  record.time = line.substr(0, first);
  if (line.substr(first + 1, second - first - 1) == "stderr") {
    record.stream = client::OutputStream::kErr;
  }
  record.partial = line[second + 1] == 'P';
  record.text = line.substr(second + 3);
  return record;
}

std::string comparable_time(WallTime time) {
  std::string text = format_time_micro(time);
  text.pop_back();  // Z
  return text;
}

LogDecoder::LogDecoder(const client::LogOptions& options)
    : timestamps_(options.timestamps),
      only_(options.stream),
      limited_(options.limit_bytes.has_value()),
      left_(options.limit_bytes.value_or(0)) {
  if (options.since) since_ = comparable_time(*options.since);
}

std::vector<client::OutputPiece> LogDecoder::decode(std::string& records) {
  std::vector<client::OutputPiece> out;
  std::size_t start = 0;
  std::size_t end = 0;
  while (!full() && (end = records.find('\n', start)) != std::string::npos) {
    const LogRecord record = read_record(std::string_view(records).substr(start, end - start));
    start = end + 1;
    put(record, !record.partial, out);
  }
  records.erase(0, start);
  return out;
}

std::vector<client::OutputPiece> LogDecoder::finish(std::string& records) {
  std::vector<client::OutputPiece> out;
  const LogRecord record = read_record(records);
  // Less than its head is no output of the container's.
  if (!full() && !record.time.empty()) put(record, false, out);
  records.clear();
  return out;
}

void LogDecoder::put(const LogRecord& record, bool whole, std::vector<client::OutputPiece>& out) {
  if (only_ && record.stream != *only_) return;
  const bool line_begins = !in_line_;
  in_line_ = !whole;
  if (!since_.empty() && comparable_time(record.time) < since_) return;
  if (timestamps_ && line_begins) {
    append(record.stream, record.time, out);
    append(record.stream, " ", out);
  }
  append(record.stream, record.text, out);
  if (whole) append(record.stream, "\n", out);
}

void LogDecoder::append(client::OutputStream stream, std::string_view text,
                        std::vector<client::OutputPiece>& out) {
  if (limited_) {
    text = text.substr(0, static_cast<std::size_t>(left_));
    left_ -= static_cast<std::int64_t>(text.size());
  }
  if (text.empty()) return;
  if (out.empty() || out.back().stream != stream) out.push_back({stream, {}});
  out.back().bytes += text;
}

}  // namespace trainyard::node
