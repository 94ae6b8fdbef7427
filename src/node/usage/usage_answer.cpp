#include "node/usage/usage_answer.h"

#include "monitor/series/series_query.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainyard::node {
namespace {

using contract::Together;
using monitor::StepGrid;
using monitor::StepValue;

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kSecond = 1000;

std::int64_t milliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

WallTime wall_time(std::int64_t milliseconds) {
  return WallTime(std::chrono::milliseconds(milliseconds));
}

/// How many parts of that size are needed.
std::int64_t parts_of(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

StepGrid choose_grid(const contract::UsageQuestion& question, const std::vector<PodSeries>& pods,
                     std::int64_t now) {
  std::int64_t from = now;
  std::int64_t to = pods.empty() ? now : 0;
  for (const PodSeries& series : pods) {
    const RecordedPod& pod = *series.pod;
    from = std::min(from, pod.begin);
    to = std::max(to, pod.end == 0 ? now : pod.end);
  }
  if (question.from) from = milliseconds(*question.from);
  if (question.to) to = milliseconds(*question.to);
  const std::int64_t length = std::max<std::int64_t>(to - from, 0);
  const auto points = static_cast<std::int64_t>(std::max<std::size_t>(question.points, 1));
  const std::int64_t asked = question.step ? std::int64_t{question.step->count()} : 1;
  StepGrid grid;
  grid.from = from;
  grid.step = std::max(parts_of(parts_of(length, points), kSecond), asked) * kSecond;
  grid.steps = static_cast<std::size_t>(parts_of(length, grid.step));
  return grid;
}

// ---- curves of one pod -------------------------------------------------------------------------

/// gpu-0.power and all others of GPUs are meant by `gpu`.
bool is_asked_for(std::string_view metric, const std::vector<std::string>& asked) {
  return asked.empty() || std::any_of(asked.begin(), asked.end(), [&](const std::string& name) {
           return metric == name || metric.starts_with(name + "-");
         });
}

/// A column of a pod's file as a part of a metric that was asked for.
struct Part {
  std::string metric;
  std::size_t column = 0;
};

/// In the order of the columns. What is read from disks and written to them also counts together.
std::vector<Part> parts_for(const RecordedPod& pod, const contract::UsageQuestion& question) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < pod.columns.size(); ++i) {
    const ColumnName name = parse_column(pod.columns[i]);
    if (!question.container.empty() && name.container != question.container) continue;
    const auto add = [&](std::string_view metric) {
      if (is_asked_for(metric, question.metrics)) parts.push_back({std::string(metric), i});
    };
    add(name.metric);
    if (name.metric == "diskRead" || name.metric == "diskWritten") add("diskBytes");
  }
  return parts;
}

contract::UsageCurve curve_of(const std::string& name, const std::vector<StepValue>& steps) {
  contract::UsageCurve curve;
  curve.name = name;
  for (const StepValue& step : steps) {
    const bool known = step.known > 0;
    curve.mean.push_back(known ? static_cast<float>(step.mean) : kUnknown);
    curve.low.push_back(known ? step.low : kUnknown);
    curve.high.push_back(known ? step.high : kUnknown);
  }
  return curve;
}

std::vector<contract::UsageCurve> curves_of(const PodSeries& series,
                                            const contract::UsageQuestion& question,
                                            const StepGrid& grid) {
  const auto blocks = monitor::read_blocks(series.blocks).blocks;
  const std::vector<Part> parts = parts_for(*series.pod, question);
  std::vector<contract::UsageCurve> curves;
  std::vector<std::string> done;
  for (const Part& first : parts) {
    if (std::find(done.begin(), done.end(), first.metric) != done.end()) continue;
    done.push_back(first.metric);
    std::vector<std::vector<StepValue>> all;  // one a container
    for (const Part& part : parts) {
      if (part.metric != first.metric) continue;
      monitor::StepReader reader(grid);
      reader.add(blocks, part.column);
      reader.add(series.unwritten, part.column);
      all.push_back(reader.values());
    }
    curves.push_back(curve_of(
        first.metric, all.size() == 1 ? all.front() : combine(all, monitor::Together::kSum)));
  }
  return curves;
}

/// As long as the pod is there.
std::vector<contract::LevelCurve> levels_of(const RecordedPod& pod,
                                            const std::map<std::string, double>& amounts,
                                            const StepGrid& grid) {
  const std::int64_t end = pod.end == 0 ? std::numeric_limits<std::int64_t>::max() : pod.end;
  std::vector<contract::LevelCurve> levels;
  for (const auto& [resource, amount] : amounts) {
    contract::LevelCurve level{resource, std::vector<float>(grid.steps, kUnknown)};
    for (std::size_t i = 0; i < grid.steps; ++i) {
      const std::int64_t at = grid.from + grid.step * static_cast<std::int64_t>(i);
      if (at < end && at + grid.step > pod.begin) level.amount[i] = static_cast<float>(amount);
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

contract::UsageHistory history_of(const PodSeries& series, const contract::UsageQuestion& question,
                                  const StepGrid& grid) {
  const RecordedPod& pod = *series.pod;
  contract::UsageHistory history;
  history.pod = pod.key;
  history.uid = pod.uid;
  history.labels = pod.labels;
  history.begin = wall_time(pod.begin);
  if (pod.end != 0) history.end = wall_time(pod.end);
  history.usage = curves_of(series, question, grid);
  history.requests = levels_of(pod, pod.requests, grid);
  history.limits = levels_of(pod, pod.limits, grid);
  return history;
}

// ---- several pods as one -----------------------------------------------------------------------

/// Curves of one name, one after the other; of each step those count that are known there.
class Gathered {
 public:
  explicit Gathered(Together how) : how_(how) {}

  void add(const std::vector<float>& values) {
    sum_.resize(std::max(sum_.size(), values.size()), kUnknown);
    counts_.resize(sum_.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      sum_[i] = counts_[i]++ == 0 ? values[i] : both(sum_[i], values[i]);
    }
  }
  std::vector<float> values() const {
    std::vector<float> values = sum_;
    if (how_ != Together::kMean) return values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (counts_[i] > 0) values[i] /= static_cast<float>(counts_[i]);
    }
    return values;
  }

 private:
  float both(float a, float b) const {
    if (how_ == Together::kLeast) return std::min(a, b);
    return how_ == Together::kGreatest ? std::max(a, b) : a + b;
  }

  Together how_;
  std::vector<float> sum_;
  std::vector<std::size_t> counts_;
};

/// By name, in the order in which they came.
template <class Value>
Value& entry_of(std::vector<std::pair<std::string, Value>>& entries, const std::string& name,
                const Value& fresh) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  if (found != entries.end()) return found->second;
  return entries.emplace_back(name, fresh).second;
}

class Combined {
 public:
  explicit Combined(Together how) : how_(how) {}

  void add(const contract::UsageHistory& one) {
    const Three fresh{Gathered(how_), Gathered(how_), Gathered(how_)};
    for (const contract::UsageCurve& curve : one.usage) {
      Three& three = entry_of(usage_, curve.name, fresh);
      three.mean.add(curve.mean);
      three.low.add(curve.low);
      three.high.add(curve.high);
    }
    add_levels(requests_, one.requests);
    add_levels(limits_, one.limits);
    if (whole_.pods == 0 || one.begin < whole_.begin) whole_.begin = one.begin;
    running_ |= !one.end;
    if (one.end && *one.end > end_) end_ = *one.end;
    if (whole_.pods == 0) whole_.pod.ns = one.pod.ns;
    ++whole_.pods;
  }

  contract::UsageHistory whole() {
    for (const auto& [name, three] : usage_) {
      whole_.usage.push_back({name, three.mean.values(), three.low.values(), three.high.values()});
    }
    for (const auto& [name, level] : requests_) whole_.requests.push_back({name, level.values()});
    for (const auto& [name, level] : limits_) whole_.limits.push_back({name, level.values()});
    if (!running_) whole_.end = end_;
    return std::move(whole_);
  }
  bool empty() const { return whole_.pods == 0; }

 private:
  struct Three {
    Gathered mean;
    Gathered low;
    Gathered high;
  };
  using Levels = std::vector<std::pair<std::string, Gathered>>;

  void add_levels(Levels& levels, const std::vector<contract::LevelCurve>& more) const {
    for (const contract::LevelCurve& level : more) {
      entry_of(levels, level.resource, Gathered(how_)).add(level.amount);
    }
  }

  Together how_;
  contract::UsageHistory whole_ = [] {
    contract::UsageHistory nothing;
    nothing.pods = 0;
    return nothing;
  }();
  bool running_ = false;
  WallTime end_;
  std::vector<std::pair<std::string, Three>> usage_;
  Levels requests_;
  Levels limits_;
};

}  // namespace

bool is_meant(const RecordedPod& pod, const contract::UsageQuestion& question) {
  if (!question.ns.empty() && pod.key.ns != question.ns) return false;
  if (!question.name.empty() && pod.key.name != question.name) return false;
  if (!question.node.empty() && pod.node != question.node) return false;
  if (question.to && milliseconds(*question.to) <= pod.begin) return false;
  if (question.from && pod.end != 0 && pod.end <= milliseconds(*question.from)) return false;
  if (question.owner.empty() && question.job.empty()) return true;
  return std::any_of(pod.owners.begin(), pod.owners.end(), [&](const RecordedPod::Owner& owner) {
    return (question.owner.empty() || owner.uid == question.owner) &&
           (question.job.empty() || owner.name == question.job);
  });
}

bool has_labels(const RecordedPod& pod, const contract::UsageQuestion& question) {
  return question.labels.empty() ||
         question.labels.matches({{"metadata", {{"labels", pod.labels}}}});
}

contract::UsageAnswer answer_usage(const contract::UsageQuestion& question,
                                   const std::vector<PodSeries>& pods, std::int64_t now) {
  const StepGrid grid = choose_grid(question, pods, now);
  contract::UsageAnswer answer;
  answer.from = wall_time(grid.from);
  answer.step = std::chrono::milliseconds(grid.step);
  Combined combined(question.together.value_or(Together::kSum));
  for (const PodSeries& series : pods) {
    contract::UsageHistory history = history_of(series, question, grid);
    if (question.together) {
      combined.add(history);
    } else {
      answer.items.push_back(std::move(history));
    }
  }
  if (!combined.empty()) answer.items.push_back(combined.whole());
  return answer;
}

}  // namespace trainyard::node
