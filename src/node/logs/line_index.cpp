#include "node/logs/line_index.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "node/logs/line_walk.h"
#include "node/logs/log_records.h"
#include "node/logs/log_segments.h"
#include "object/values/pattern.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <unistd.h>

namespace trainyard::node {
namespace {

constexpr std::size_t kPiece = 1UL << 20;
constexpr std::int64_t kBetweenMarks = 256 << 10;
constexpr std::size_t kMostText = 4UL << 20;        // of one answer
constexpr std::int64_t kMostSearched = 32LL << 20;  // bytes of one answer
constexpr std::size_t kMostIndexes = 512;           // each takes some kilobytes
constexpr std::size_t kLongestQuestion = 1000;

/// Whether the record, without its newline, is the end of its line. Most have the form of today's
/// shim, whose times are all as long.
bool ends_line(const char* record, std::size_t size) {
  constexpr std::size_t kTag = sizeof("2026-11-16T01:02:03.123456789Z stdout ") - 1;
  if (size > kTag + 1 && record[kTag - 1] == ' ' && record[kTag - 8] == ' ') {
    return record[kTag] != 'P';
  }
  return !read_record({record, size}).partial;
}

std::string escaped(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x80 || c == '_' || (c >= '0' && c <= '9') ||
                       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

Result<Pattern> pattern_of(const client::LogQuestion& question) {
  if (question.text.empty() || question.text.size() > kLongestQuestion) {
    return Error(Code::kBadRequest, "search: say what to look for, in 1 to 1000 bytes");
  }
  auto pattern = Pattern::compile((question.match_case ? "" : "(?i)") +
                                  (question.regex ? question.text : escaped(question.text)));
  if (!pattern) return Error(Code::kBadRequest, "search: " + pattern.error().message());
  return pattern;
}

}  // namespace

std::map<std::uint64_t, std::int64_t> LineIndex::read_notes() const {
  std::map<std::uint64_t, std::int64_t> notes{{0, 0}};
  std::istringstream text(read_file(folder_ / kLineNotes).value_or(""));
  std::uint64_t number = 0;
  std::int64_t lines = 0;
  while (text >> number >> lines) notes[number] = lines;
  return notes;
}

Result<> LineIndex::look() {
  const std::vector<std::uint64_t> there = list_segments(folder_);
  std::erase_if(segments_, [&](const auto& known) {
    return !std::binary_search(there.begin(), there.end(), known.first);
  });
  std::map<std::uint64_t, std::int64_t> notes;
  Segment* before = nullptr;
  for (const std::uint64_t number : there) {
    auto known = segments_.find(number);
    if (known == segments_.end()) {
      if (notes.empty()) notes = read_notes();
      Segment segment;
      if (const auto note = notes.find(number); note != notes.end()) {
        segment.first = note->second + 1;
      } else if (before != nullptr) {
        // Of a shim that noted nothing: what is before has to be counted.
        TRY_OK(count(number - 1, *before));
        segment.first = before->first + before->lines;
      }
      known = segments_.emplace(number, std::move(segment)).first;
    }
    before = &known->second;
  }
  if (before != nullptr) TRY_OK(count(there.back(), *before));
  return Ok();
}

Result<> LineIndex::count(std::uint64_t number, Segment& segment) const {
  const std::filesystem::path path = folder_ / segment_name(number);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() && errno == ENOENT) return Ok();  // removed meanwhile
  if (!file.valid()) return io_error("reading", path, errno);
  std::string piece(kPiece, '\0');
  while (true) {
    const ssize_t size = ::pread(file.get(), piece.data(), piece.size(), segment.counted);
    if (size < 0) return io_error("reading", path, errno);
    const char* at = piece.data();
    const char* end = at + size;
    while (at < end) {
      const auto* newline =
          static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (newline == nullptr) break;
      const std::int64_t offset = segment.counted + (at - piece.data());
      if (!segment.in_line && offset - segment.marks.back().offset >= kBetweenMarks) {
        segment.marks.push_back({offset, segment.lines});
      }
      segment.in_line = !ends_line(at, static_cast<std::size_t>(newline - at));
      if (!segment.in_line) ++segment.lines;
      at = newline + 1;
    }
    if (at == piece.data()) return Ok();  // nothing, or the beginning of a record
    segment.counted += at - piece.data();
  }
}

client::LogExtent LineIndex::extent() const {
  if (segments_.empty()) return {};
  const Segment& last = segments_.rbegin()->second;
  return {segments_.begin()->second.first, last.first + last.lines - 1 + (last.in_line ? 1 : 0)};
}

Result<LogPlace> LineIndex::find_line(std::int64_t& line) {
  const client::LogExtent all = extent();
  line = std::clamp(line, all.kept, all.last + 1);
  if (segments_.empty()) return LogPlace();
  auto found = segments_.begin();
  for (auto next = std::next(found); next != segments_.end() && next->second.first <= line;
       ++next) {
    found = next;
  }
  TRY_OK(count(found->first, found->second));
  const Segment& segment = found->second;
  const auto mark = std::prev(
      std::upper_bound(segment.marks.begin() + 1, segment.marks.end(), line - segment.first,
                       [](std::int64_t lines, const Mark& one) { return lines < one.lines; }));
  const LogPlace place{found->first, mark->offset};
  const std::int64_t wanted = line;
  line = segment.first + mark->lines;
  if (line == wanted) return place;
  // From the mark on it is seldom more than a quarter of a megabyte.
  const std::filesystem::path path = folder_ / segment_name(found->first);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string piece(kBetweenMarks + kLongestRecord, '\0');
  std::int64_t offset = place.offset;
  while (file.valid() && line < wanted) {
    const ssize_t size = ::pread(file.get(), piece.data(), piece.size(), offset);
    const std::string_view read(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    std::size_t at = 0;
    while (line < wanted) {
      const std::size_t newline = read.find('\n', at);
      if (newline == std::string_view::npos) break;
      if (ends_line(read.data() + at, newline - at)) ++line;
      at = newline + 1;
    }
    if (at == 0) break;
    offset += static_cast<std::int64_t>(at);
  }
  return LogPlace{place.segment, offset};
}

Result<std::int64_t> LineIndex::line_at(const std::string& time) {
  if (segments_.empty()) return 1;
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, segment] : segments_) numbers.push_back(number);
  const LogPlace place = place_of_time(folder_, time, numbers);
  Segment& segment = segments_[place.segment];
  TRY_OK(count(place.segment, segment));
  const auto mark = std::prev(
      std::upper_bound(segment.marks.begin() + 1, segment.marks.end(), place.offset,
                       [](std::int64_t offset, const Mark& one) { return offset < one.offset; }));
  LineWalk walk(folder_, {place.segment, mark->offset}, segment.first + mark->lines);
  LogLine line;
  std::int64_t number = segment.first + mark->lines;
  while (true) {
    TRY(const bool more, walk.next(line));
    if (!more || comparable_time(line.time) >= time) return number;
    number = line.number + 1;
  }
}

Result<client::LogLines> read_lines(LineIndex& index, const std::filesystem::path& folder,
                                    client::LineRange range, bool timestamps) {
  TRY_OK(index.look());
  client::LogLines lines;
  lines.extent = index.extent();
  if (range.at) {
    TRY(range.from, index.line_at(comparable_time(*range.at)));
    lines.first = range.from;
    return lines;
  }
  lines.first = std::max(range.from, lines.extent.kept);
  range.to = std::min(range.to, lines.extent.last);
  if (range.to < lines.first) return lines;
  std::int64_t begin = lines.first;
  TRY(const LogPlace place, index.find_line(begin));
  LineWalk walk(folder, place, begin);
  LogLine line;
  while (lines.text.size() < kMostText) {
    TRY(const bool more, walk.next(line));
    if (!more || line.number > range.to) break;
    if (line.number < lines.first) continue;
    if (timestamps && !line.time.empty()) lines.text.append(line.time).append(" ");
    lines.text.append(line.text).append("\n");
  }
  return lines;
}

Result<client::LogFindings> find_lines(LineIndex& index, const std::filesystem::path& folder,
                                       const client::LogQuestion& question) {
  TRY(const Pattern pattern, pattern_of(question));
  TRY_OK(index.look());
  client::LogFindings findings;
  findings.extent = index.extent();
  std::int64_t begin = question.from;
  TRY(const LogPlace place, index.find_line(begin));
  LineWalk walk(folder, place, begin);
  LogLine line;
  std::string scratch;
  findings.next = begin;
  while (walk.bytes() < kMostSearched) {
    TRY(const bool more, walk.next(line));
    // A line that may still grow is looked at when it has ended.
    if (!more || !line.ended) {
      findings.done = true;
      break;
    }
    findings.next = line.number + 1;
    if (line.number < question.from) continue;
    if (!pattern.occurs_in(without_codes(line.text, scratch))) continue;
    ++findings.count;
    if (static_cast<std::int64_t>(findings.hits.size()) < question.limit) {
      findings.hits.push_back({line.number, std::string(line.time)});
    }
    if (question.only_first) break;
  }
  return findings;
}

LineIndex& LineIndexes::of(const std::filesystem::path& folder) {
  Known& known = known_[folder];
  if (!known.index) known.index = std::make_unique<LineIndex>(folder);
  known.asked = ++questions_;
  if (known_.size() > kMostIndexes) {
    known_.erase(std::min_element(known_.begin(), known_.end(), [](const auto& a, const auto& b) {
      return a.second.asked < b.second.asked;
    }));
  }
  return *known_[folder].index;
}

}  // namespace trainyard::node
