#include "node/logs/line_walk.h"

#include "node/logs/log_records.h"

namespace trainyard::node {
namespace {

constexpr std::size_t kPiece = 256UL << 10;
constexpr std::size_t kLongestLine = 1UL << 20;  // of what is put together
constexpr char kEscape = '\x1b';

/// How long the code is that begins with ESC at the front: colours and the like (ESC [ … letter),
/// titles (ESC ] … BEL or ESC \), else two letters.
std::size_t code_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    std::size_t i = 2;
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
    return std::min(text.size(), i + 1);
  }
  if (text[1] != ']') return 2;
  const std::size_t end = text.find_first_of("\x07\x1b", 2);
  if (end == std::string_view::npos) return text.size();
  return std::min(text.size(), end + (text[end] == kEscape ? 2 : 1));
}

}  // namespace

std::string_view without_codes(std::string_view text, std::string& scratch) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  // What a carriage return has overwritten is not seen.
  if (const std::size_t begun = text.rfind('\r'); begun != std::string_view::npos) {
    text.remove_prefix(begun + 1);
  }
  std::size_t code = text.find(kEscape);
  if (code == std::string_view::npos) return text;
  scratch.clear();
  while (code != std::string_view::npos) {
    scratch += text.substr(0, code);
    text.remove_prefix(code);
    text.remove_prefix(code_length(text));
    code = text.find(kEscape);
  }
  scratch += text;
  return scratch;
}

LineWalk::LineWalk(const std::filesystem::path& folder, LogPlace place, std::int64_t number)
    : reader_(folder), opened_(reader_.open(place.segment, place.offset)), number_(number) {}

Result<bool> LineWalk::next_record(std::string_view& record) {
  while (true) {
    const std::size_t end = buffer_.find('\n', at_);
    if (end != std::string::npos) {
      record = std::string_view(buffer_).substr(at_, end - at_);
      at_ = end + 1;
      return true;
    }
    buffer_.erase(0, at_);
    at_ = 0;
    const std::size_t before = buffer_.size();
    TRY(const bool more, reader_.read(buffer_, kPiece));
    bytes_ += static_cast<std::int64_t>(buffer_.size() - before);
    if (!more) return false;
  }
}

Result<bool> LineWalk::next(LogLine& line) {
  TRY_OK(opened_);
  if (!in_line_) joined_.clear();
  std::string_view text;
  while (true) {
    TRY(const bool found, next_record(text));
    if (!found) break;
    const LogRecord record = read_record(text);
    if (!in_line_ && !record.partial) {
      line = {number_++, record.time, record.text, true};
      return true;
    }
    if (!in_line_) time_ = record.time;
    if (joined_.size() < kLongestLine) joined_ += record.text;
    in_line_ = record.partial;
    if (record.partial) continue;
    line = {number_++, time_, joined_, true};
    return true;
  }
  if (!in_line_) return false;
  in_line_ = false;
  line = {number_++, time_, joined_, false};
  return true;
}

}  // namespace trainyard::node
