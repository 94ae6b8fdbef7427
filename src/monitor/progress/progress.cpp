#include "monitor/progress/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::monitor {
namespace {

constexpr std::size_t kMostMarks = 4096;
constexpr auto kMost = std::chrono::hours(24 * 365);

double seconds_between(WallTime from, WallTime to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string counter_words(const std::string& name, const Counter& counter) {
  if (counter.of == 0) return fmt::format("{} {}", name, counter.at);
  return fmt::format("{} {}/{}", name, counter.at, counter.of);
}

/// "batches"; what programs shorten, such as "it", stays.
std::string several(std::string unit) {
  constexpr std::size_t kShortened = 3;
  if (unit.size() < kShortened || unit.ends_with('s')) return unit;
  const bool hisses = unit.ends_with("tch") || unit.ends_with("sh") || unit.ends_with('x');
  return unit + (hisses ? "es" : "s");
}

std::string rate_words(double rate, std::string unit) {
  unit = several(std::move(unit));
  if (rate >= 0.1) return fmt::format("{:.3g} {}/s", rate, unit);
  if (rate * 60 >= 0.1) return fmt::format("{:.3g} {}/min", rate * 60, unit);
  return fmt::format("{:.3g} {}/h", rate * 3600, unit);
}

}  // namespace

void ProgressOfLog::add(WallTime time, std::string_view text) {
  auto line = read_progress_line(text);
  if (!line) return;
  if (line->epoch) {
    const bool another = epoch_ && epoch_->at != line->epoch->at;
    // An epoch that is told alone ends, or begins, what its steps were told of.
    if (another && !line->step) step_.reset();
    const std::int64_t of = line->epoch->of != 0 ? line->epoch->of : (epoch_ ? epoch_->of : 0);
    zero_based_ = zero_based_ || line->epoch->at == 0;
    epoch_ = Counter{line->epoch->at, of};
    epoch_done_ = !line->step && !line->values.empty();
  }
  if (line->step) {
    step_ = line->step;
    epoch_done_ = false;
  }
  if (!line->unit.empty()) unit_ = line->unit;
  for (const auto& [name, value] : line->values) values_[name] = value;
  time_ = time;
  Mark mark{time, 0, line->step.has_value()};
  const double begun = epoch_ ? static_cast<double>(epoch_->at) - (zero_based_ ? 0 : 1) : 0;
  if (line->step) {
    const double length = static_cast<double>(line->step->of);
    mark.position = static_cast<double>(line->step->at) + (length > 0 ? begun * length : 0);
  } else {
    mark.position = begun + (epoch_done_ ? 1 : 0);
  }
  // Less than before: it was started anew, or something else is counted.
  if (!marks_.empty() && marks_.back().steps == mark.steps &&
      mark.position < marks_.back().position) {
    std::erase_if(marks_, [&](const Mark& old) { return old.steps == mark.steps; });
  }
  if (marks_.size() < kMostMarks) marks_.push_back(mark);
  last_ = std::move(line);
}

std::optional<double> ProgressOfLog::rate() const {
  for (const bool steps : {true, false}) {
    const Mark* first = nullptr;
    const Mark* last = nullptr;
    for (const Mark& mark : marks_) {
      if (mark.steps != steps) continue;
      if (first == nullptr) first = &mark;
      last = &mark;
    }
    if (first == nullptr || last == first) continue;
    const double span = seconds_between(first->time, last->time);
    const double way = last->position - first->position;
    if (span > 0 && way > 0) return steps ? way / span : -way / span;
  }
  return std::nullopt;
}

std::optional<double> ProgressOfLog::share_of(const ProgressLine& /*line*/) const {
  const double begun = epoch_ ? static_cast<double>(epoch_->at) - (zero_based_ ? 0 : 1) : 0;
  double within = epoch_done_ ? 1 : 0;
  const bool has_length = step_ && step_->of > 0;
  if (has_length) within = static_cast<double>(step_->at) / static_cast<double>(step_->of);
  if (epoch_ && epoch_->of > 0)
    return std::clamp((begun + within) / static_cast<double>(epoch_->of), 0.0, 1.0);
  if (!epoch_ && has_length) return std::clamp(within, 0.0, 1.0);
  return std::nullopt;
}

std::optional<Progress> ProgressOfLog::tell(WallTime now) const {
  if (!last_) return std::nullopt;
  Progress progress;
  progress.epoch = epoch_;
  progress.step = step_;
  progress.unit = unit_;
  progress.values.assign(values_.begin(), values_.end());
  progress.at = time_;
  progress.share = share_of(*last_);
  const auto speed = rate();
  if (!speed) return progress;
  progress.rate_of_epochs = *speed < 0;
  progress.rate = std::abs(*speed);
  if (!progress.share) return progress;
  double whole = 0;
  if (progress.rate_of_epochs) {
    whole = epoch_ ? static_cast<double>(epoch_->of) : 0;
  } else if (step_ && step_->of > 0) {
    whole = static_cast<double>(step_->of) *
            (epoch_ && epoch_->of > 0 ? static_cast<double>(epoch_->of) : 1);
  }
  if (whole <= 0) return progress;
  const double left =
      (1 - *progress.share) * whole / *progress.rate - std::max(0.0, seconds_between(time_, now));
  progress.left = std::chrono::seconds(static_cast<std::int64_t>(
      std::clamp(left, 0.0, static_cast<double>(std::chrono::seconds(kMost).count()))));
  return progress;
}

std::string progress_words(const Progress& progress) {
  std::string words;
  const auto add = [&](const std::string& more) {
    if (!words.empty()) words += ", ";
    words += more;
  };
  if (progress.epoch) add(counter_words("epoch", *progress.epoch));
  if (progress.step) add(counter_words(progress.unit_word(), *progress.step));
  if (progress.share) words += fmt::format(" ({:.0f} %)", *progress.share * 100);
  if (progress.rate)
    add(rate_words(*progress.rate, progress.rate_of_epochs ? "epoch" : progress.unit_word()));
  if (progress.left) add(format_age(*progress.left) + " left");
  constexpr std::size_t kMostValues = 3;
  std::size_t told = 0;
  for (const auto& [name, value] : progress.values) {
    if (told++ == kMostValues) break;
    add(fmt::format("{} {:.4g}", name, value));
  }
  return words;
}

}  // namespace trainyard::monitor
