#include "monitor/progress/curve_progress.h"

#include "monitor/events/run_data.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>

namespace trainyard::monitor {
namespace {

constexpr std::size_t kMostValues = 8;
constexpr std::size_t kLongestName = 60;
constexpr std::size_t kRecentPoints = 100;
constexpr auto kGoesOn = std::chrono::minutes(1);  // writers keep points back for two at most
constexpr double kLatest = 4e9;                    // seconds; a later time is none
constexpr double kLongest = 365.0 * 24 * 3600;

WallTime wall_time(double seconds) {
  return WallTime(std::chrono::duration_cast<WallTime::duration>(
      std::chrono::duration<double>(std::clamp(seconds, 0.0, kLatest))));
}

bool is_since(const ScalarPoint& point, WallTime since) {
  return std::isfinite(point.wall_time) && wall_time(point.wall_time) >= since;
}

std::optional<double> recent_rate(const ScalarColumn& column, WallTime since) {
  std::deque<ScalarPoint> recent;
  ScalarColumn::Reader reader(column);
  while (const auto point = reader.next()) {
    if (!is_since(*point, since)) continue;
    // It went back to a checkpoint, or began anew.
    if (!recent.empty() && point->step < recent.back().step) recent.clear();
    recent.push_back(*point);
    if (recent.size() > kRecentPoints) recent.pop_front();
  }
  if (recent.size() < 2) return std::nullopt;
  const double way =
      static_cast<double>(recent.back().step) - static_cast<double>(recent.front().step);
  const double span = recent.back().wall_time - recent.front().wall_time;
  if (way <= 0 || span <= 0) return std::nullopt;
  return way / span;
}

/// What the log tells a total of, with what the event files know besides.
void fill_in(Progress& log, const CurveProgress& curves, WallTime now) {
  if (log.values.empty()) log.values = curves.values;
  if (!log.step) {
    log.step = Counter{curves.step, 0};
    log.unit.clear();
    if (!log.rate) log.rate = curves.rate;
    return;
  }
  const bool same_count = !log.epoch && !log.unit.empty() && curves.at >= log.at &&
                          curves.step >= log.step->at && curves.step <= log.step->of;
  if (log.rate || !curves.rate || !same_count) return;
  log.step->at = curves.step;
  log.share = static_cast<double>(curves.step) / static_cast<double>(log.step->of);
  log.rate = curves.rate;
  log.at = curves.at;
  const double silent = std::max(0.0, std::chrono::duration<double>(now - curves.at).count());
  const double left = static_cast<double>(log.step->of - curves.step) / *curves.rate - silent;
  log.left = std::chrono::seconds(static_cast<std::int64_t>(std::clamp(left, 0.0, kLongest)));
}

}  // namespace

std::optional<CurveProgress> read_curve_progress(const RunData& run, WallTime since) {
  const TagData* furthest = nullptr;
  CurveProgress told;
  std::vector<std::pair<std::string, double>> others;
  for (const TagData& tag : run.tags()) {
    const ScalarColumn* column = tag.scalars();
    if (column == nullptr || column->size() == 0) continue;
    const ScalarPoint last = column->last();
    if (!is_since(last, since)) continue;
    told.at = std::max(told.at, wall_time(last.wall_time));
    if (furthest == nullptr || last.step > furthest->scalars()->last().step) furthest = &tag;
    auto& values = is_measure(tag.tag) ? told.values : others;
    if (std::isfinite(last.value) && values.size() < kMostValues) {
      values.emplace_back(tag.tag.substr(0, kLongestName), last.value);
    }
  }
  if (furthest == nullptr) return std::nullopt;
  told.values.insert(told.values.end(), others.begin(), others.end());
  if (told.values.size() > kMostValues) told.values.resize(kMostValues);
  told.step = furthest->scalars()->last().step;
  told.rate = recent_rate(*furthest->scalars(), since);
  return told;
}

std::optional<CurveProgress> leading_run(std::vector<CurveProgress> runs) {
  if (runs.empty()) return std::nullopt;
  WallTime latest = runs.front().at;
  for (const CurveProgress& run : runs) latest = std::max(latest, run.at);
  std::erase_if(runs, [&](const CurveProgress& run) { return run.at + kGoesOn < latest; });
  return *std::max_element(runs.begin(), runs.end(),
                           [](const auto& a, const auto& b) { return a.step < b.step; });
}

std::optional<Progress> join_progress(std::optional<Progress> log,
                                      const std::optional<CurveProgress>& curves, WallTime now) {
  if (!curves) return log;
  const bool over = log && log->share && *log->share >= 1 && curves->at > log->at;
  if (over) log.reset();
  if (log && log->share) {
    fill_in(*log, *curves, now);
    return log;
  }
  Progress progress;
  progress.step = Counter{curves->step, 0};
  progress.rate = curves->rate;
  progress.values = curves->values;
  progress.at = curves->at;
  if (!log) return progress;
  progress.epoch = log->epoch;
  if (progress.values.empty()) progress.values = log->values;
  return progress;
}

bool says_all(const Progress& log) {
  return log.share && *log.share < 1 && log.step && log.rate && !log.values.empty();
}

bool says_more(const Progress& one, const Progress& other) {
  const auto worth = [](const Progress& progress) {
    return (progress.share ? 4 : 0) + (progress.rate ? 2 : 0) + (progress.values.empty() ? 0 : 1);
  };
  return worth(one) > worth(other);
}

}  // namespace trainyard::monitor
