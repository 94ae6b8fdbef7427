#include "shim/log/log_framer.h"

namespace trainyard::shim {

std::size_t LogFramer::feed(std::string_view piece, std::string_view stamp, std::string& out) {
  std::string_view rest = piece;
  while (!rest.empty() && out.size() < kOutLimit) {
    std::size_t room = kMaxText - held_.size();
    // One more byte than there is room for: a line of exactly kMaxText is still whole.
    std::size_t line_end = rest.substr(0, room + 1).find('\n');
    if (line_end != rest.npos) {
      put_record(stamp, 'F', rest.substr(0, line_end), out);
      rest.remove_prefix(line_end + 1);
    } else if (rest.size() > room) {
      put_record(stamp, 'P', rest.substr(0, room), out);
      rest.remove_prefix(room);
    } else {
      held_ += rest;
      rest = {};
    }
  }
  return piece.size() - rest.size();
}

void LogFramer::flush(std::string_view stamp, std::string& out) {
  if (holds_text()) put_record(stamp, 'P', {}, out);
}

void LogFramer::put_record(std::string_view stamp, char tag, std::string_view text,
                           std::string& out) {
  out += stamp;
  out += ' ';
  out += stream_;
  out += ' ';
  out += tag;
  out += ' ';
  out += held_;
  out += text;
  out += '\n';
  held_.clear();
  if (tag == 'F') ++lines_;
}

}  // namespace trainyard::shim
