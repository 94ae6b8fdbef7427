#include "object/yaml_nesting.h"

#include <algorithm>

namespace trainyard {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Goes through a text as far as brackets need it: knows quotes, comments and block scalars, in
/// which brackets mean nothing, and plain text, which outside of brackets may hold them.
class BracketCounter {
 public:
  BracketCounter(std::string_view text, std::size_t limit) : text_(text), limit_(limit) {}

  std::size_t count() {
    while (at_ < text_.size() && deepest_ < limit_) step();
    return deepest_;
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') return begin_line();
    if (is_blank(c)) {
      ++at_;
    } else if (c == '#' && (at_ == 0 || is_blank(text_[at_ - 1]) || text_[at_ - 1] == '\n')) {
      at_ = end_of_line();
    } else if (depth_ > 0) {
      step_inside(c);
    } else {
      step_outside(c);
    }
  }

  void begin_line() {
    ++at_;
    line_ = at_;
    if (depth_ > 0) return;  // lines mean nothing within brackets
    in_plain_ = false;
    entry_ = -1;
  }

  void step_inside(char c) {
    if (c == '[' || c == '{') {
      open();
    } else if (c == ']' || c == '}') {
      --depth_;
      in_plain_ = depth_ == 0;  // what may follow on this line is `: value`
      ++at_;
    } else if (c == ',' || (c == ':' && ends_word(at_ + 1))) {
      in_plain_ = false;
      ++at_;
    } else {
      text_or_quotes(c);
    }
  }

  void step_outside(char c) {
    const auto column = static_cast<std::ptrdiff_t>(at_ - line_);
    if (c == ':' && ends_word(at_ + 1)) {
      in_plain_ = false;
      ++at_;
    } else if (in_plain_) {
      ++at_;
    } else if ((c == '-' || c == '?') && ends_word(at_ + 1)) {
      entry_ = column;
      ++at_;
    } else if (c == '&' || c == '!') {
      while (!ends_word(at_)) ++at_;
    } else if (c == '[' || c == '{') {
      open();
    } else if (c == '|' || c == '>') {
      skip_block_scalar();
    } else {
      if (!value_of_key()) entry_ = column;
      text_or_quotes(c);
    }
  }

  /// Whether what begins here follows a `key:` on its line.
  bool value_of_key() const {
    const std::string_view before = text_.substr(line_, at_ - line_);
    const std::size_t last = before.find_last_not_of(" \t");
    return last != std::string_view::npos && before[last] == ':';
  }

  void open() {
    deepest_ = std::max(deepest_, ++depth_);
    in_plain_ = false;
    ++at_;
  }

  void text_or_quotes(char c) {
    const bool quoted = !in_plain_ && (c == '"' || c == '\'');
    in_plain_ = true;
    ++at_;
    if (!quoted) return;
    while (at_ < text_.size() && text_[at_] != c) at_ += c == '"' && text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());  // '' within '…' reads as the next quoted text
    if (c == '\'' && at_ < text_.size() && text_[at_] == c) in_plain_ = false;
  }

  /// All lines that are blank or further to the right than the entry it is the value of.
  void skip_block_scalar() {
    at_ = end_of_line();
    while (at_ < text_.size()) {
      const std::size_t first = text_.find_first_not_of(' ', at_ + 1);
      if (first == std::string_view::npos) {
        at_ = text_.size();
        return;
      }
      const auto indent = static_cast<std::ptrdiff_t>(first - at_ - 1);
      if (text_[first] != '\n' && text_[first] != '\r' && indent <= entry_) return;
      at_ = std::min(text_.find('\n', first), text_.size());
    }
  }

  bool ends_word(std::size_t at) const {
    return at >= text_.size() || is_blank(text_[at]) || text_[at] == '\n';
  }
  std::size_t end_of_line() const { return std::min(text_.find('\n', at_), text_.size()); }

  std::string_view text_;
  std::size_t limit_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;       // where this line begins
  std::ptrdiff_t entry_ = -1;  // the column of the innermost entry that this line has begun
  bool in_plain_ = false;
  std::size_t depth_ = 0;
  std::size_t deepest_ = 0;
};

}  // namespace

std::size_t bracket_depth(std::string_view yaml, std::size_t limit) {
  return BracketCounter(yaml, limit).count();
}

}  // namespace trainyard
