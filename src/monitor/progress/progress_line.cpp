#include "monitor/progress/progress_line.h"

#include "base/words/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace trainyard::monitor {
namespace {

constexpr std::size_t kLongestLine = 2000;
constexpr std::size_t kMostValues = 12;
constexpr std::size_t kLongestName = 40;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// What a terminal would show last: a bar is drawn over itself, and coloured.
std::string shown(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  const std::size_t again = line.rfind('\r');
  if (again != std::string_view::npos) line.remove_prefix(again + 1);
  if (line.size() > kLongestLine) line.remove_prefix(line.size() - kLongestLine);
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\033' && i + 1 < line.size() && line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && !is_letter(line[i])) ++i;
      continue;
    }
    plain += line[i];
  }
  return plain;
}

/// Reads a line from left to right: words, numbers, and what stands between them.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::optional<ProgressLine> read() {
    while (at_ < text_.size()) {
      if (is_letter(text_[at_])) {
        read_word();
      } else if (is_digit(text_[at_]) && !follows_part_of_number()) {
        read_number();
      } else {
        ++at_;
      }
    }
    if (!line_.epoch && !line_.step) return std::nullopt;
    // `[3/20]` alone may be a date or a page; beside a word that counts, or a bar, it is not.
    if (!line_.epoch && !sure_ && line_.values.empty() && !only_counter()) return std::nullopt;
    return std::move(line_);
  }

 private:
  /// 3.5 and 2026-11-16 hold no counters.
  bool follows_part_of_number() const {
    if (at_ == 0) return false;
    const char before = text_[at_ - 1];
    if (before == '.' || is_letter(before)) return true;
    return (before == '-' || before == '+') && at_ > 1 &&
           (is_digit(text_[at_ - 2]) || is_letter(text_[at_ - 2]));
  }

  /// The line is a counter in brackets, and whatever comes behind it.
  bool only_counter() const { return bracketed_ && counters_ == 1; }

  void read_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) ||
                                  text_[at_] == '/' || text_[at_] == '.')) {
      // `train/loss` is one name, `it/s` as well.
      if ((text_[at_] == '/' || text_[at_] == '.') &&
          (at_ + 1 >= text_.size() || !is_letter(text_[at_ + 1]))) {
        break;
      }
      ++at_;
    }
    word_ = lower(std::string_view(text_).substr(begin, std::min(at_ - begin, kLongestName)));
    word_end_ = at_;
  }

  std::optional<std::int64_t> whole(std::size_t& place) const {
    std::int64_t number = 0;
    const auto parsed = std::from_chars(text_.data() + place, text_.data() + text_.size(), number);
    if (parsed.ec != std::errc() || number < 0) return std::nullopt;
    place = static_cast<std::size_t>(parsed.ptr - text_.data());
    return number;
  }

  /// Between the last word and here is nothing but what joins a name to its value.
  bool belongs_to_word(std::size_t begin) const {
    if (word_.empty() || begin < word_end_ || begin - word_end_ > 4) return false;
    return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(word_end_),
                       text_.begin() + static_cast<std::ptrdiff_t>(begin), [](char c) {
                         return c == ' ' || c == ':' || c == '=' || c == '[' || c == '(' ||
                                c == '#' || c == '\'' || c == '"' || c == '\t' || c == '-';
                       });
  }

  void read_number() {
    const std::size_t begin = at_;
    const auto first = whole(at_);
    if (!first) {
      skip_digits();
      return;
    }
    std::size_t place = at_;
    while (place < text_.size() && text_[place] == ' ') ++place;
    if (place < text_.size() && text_[place] == '/') {
      ++place;
      while (place < text_.size() && text_[place] == ' ') ++place;
      if (place < text_.size() && is_digit(text_[place])) {
        const auto of = whole(place);
        // 2026/11/16 is a date, 7/8.5 is none of ours.
        const bool more = place < text_.size() && (text_[place] == '/' || text_[place] == '.');
        at_ = place;
        if (of && !more && *of > 0 && *first <= *of) return take_counter(begin, {*first, *of});
        skip_digits();
        return;
      }
    }
    if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E')) {
      return take_decimal(begin);
    }
    if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '%')) return;
    if (belongs_to_word(begin)) take_named(begin, static_cast<double>(*first), *first);
  }

  void skip_digits() {
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.' || text_[at_] == '/')) {
      ++at_;
    }
  }

  void take_decimal(std::size_t begin) {
    double value = 0;
    const auto parsed = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    at_ = parsed.ec == std::errc() ? static_cast<std::size_t>(parsed.ptr - text_.data()) : at_ + 1;
    if (parsed.ec != std::errc() || !belongs_to_word(begin)) return;
    take_named(begin, value, static_cast<std::int64_t>(std::clamp(value, 0.0, 1e15)));
  }

  static bool is_epoch(const std::string& word) {
    return word == "epoch" || word == "epochs" || word == "ep";
  }
  static bool is_step(const std::string& word) {
    constexpr std::array kWords = {"step",      "steps",      "iter",   "iters",
                                   "iteration", "iterations", "it",     "global_step",
                                   "batch",     "batches",    "update", "minibatch"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
  }
  void take_counter(std::size_t begin, Counter counter) {
    ++counters_;
    bracketed_ = bracketed_ || (begin > 0 && text_[begin - 1] == '[');
    // tqdm and Keras draw a bar beside it.
    const bool bar =
        text_.find("%|") != std::string::npos || text_.find("[=") != std::string::npos ||
        text_.find("=]") != std::string::npos || text_.find("it/s") != std::string::npos ||
        text_.find("s/it") != std::string::npos;
    const bool named = belongs_to_word(begin);
    if (named && is_epoch(word_)) {
      // `Epoch 3 [640/60000]`: the epoch was said before, these are samples.
      if (!line_.epoch && begin - word_end_ <= 3 && !(text_[begin - 1] == '[' && word_used_)) {
        line_.epoch = counter;
        word_used_ = true;
        return;
      }
    }
    if (named && is_step(word_)) line_.unit = word_;
    sure_ = sure_ || bar || (named && is_step(word_)) || line_.epoch.has_value();
    if (!line_.step) line_.step = counter;
  }

  void take_named(std::size_t begin, double value, std::int64_t whole_value) {
    if (is_epoch(word_)) {
      if (!line_.epoch) line_.epoch = Counter{whole_value, 0};
      word_used_ = true;
    } else if (is_step(word_)) {
      if (!line_.step) {
        line_.step = Counter{whole_value, 0};
        line_.unit = word_;
        sure_ = true;
      }
    } else if (is_measure(word_) && std::isfinite(value) && line_.values.size() < kMostValues) {
      const bool negative = begin > 0 && text_[begin - 1] == '-';
      line_.values.emplace(word_, negative ? -value : value);
    }
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::string word_;
  std::size_t word_end_ = 0;
  bool word_used_ = false;  // the word epoch has its number
  bool sure_ = false;
  bool bracketed_ = false;
  int counters_ = 0;
  ProgressLine line_;
};

}  // namespace

bool is_measure(std::string_view name) {
  constexpr std::array kParts = {"loss", "acc",        "accuracy", "lr",   "learning_rate",
                                 "ppl",  "perplexity", "reward",   "f1",   "map",
                                 "auc",  "error",      "bleu",     "rmse", "mse",
                                 "mae",  "iou",        "return",   "kl"};
  const std::string word = lower(name);
  return std::any_of(kParts.begin(), kParts.end(), [&](const char* part) {
    const std::size_t place = word.find(part);
    if (place == std::string::npos) return false;
    // Short ones must be words of their own: `lr`, `val_acc`, not `already`.
    const std::size_t end = place + std::string_view(part).size();
    const auto edge = [&](std::size_t i) {
      return i >= word.size() || !is_letter(word[i]) || word[i] == '_';
    };
    return (place == 0 || edge(place - 1)) && (edge(end) || std::string_view(part).size() > 3);
  });
}

std::optional<ProgressLine> read_progress_line(std::string_view line) {
  const std::string text = shown(line);
  return Reader(text).read();
}

}  // namespace trainyard::monitor
