#include "node/step_pace.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace trainyard::node {

using client::StepRate;

void StepPace::add(const std::optional<monitor::Progress>& seen, WallTime now) {
  readings_ = std::min(readings_ + 1, kReadings);
  const auto before = std::exchange(last_reading_, now);
  const bool counts = seen && seen->rate && seen->step && !seen->rate_of_epochs;
  if (!counts || (before && seen->at <= *before)) return rates_.clear();
  StepRate rate{seen->unit_word(), seen->step->of, *seen->rate};
  if (!rates_.empty() && !rates_.back().counts_as(rate)) rates_.clear();
  rates_.push_back(std::move(rate));
  if (rates_.size() > kReadings) rates_.pop_front();
}

std::optional<StepRate> StepPace::rate() const {
  if (rates_.size() < kReadings) return std::nullopt;
  std::vector<StepRate> sorted(rates_.begin(), rates_.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const StepRate& a, const StepRate& b) { return a.a_second < b.a_second; });
  return sorted[sorted.size() / 2];
}

}  // namespace trainyard::node
