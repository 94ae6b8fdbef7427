#include "node/training/step_race.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace trainyard::node {
namespace {

constexpr double kMuchSlower = 2;
constexpr int kAgreement = 3;

/// Steps a second between two marks of one rank; nothing where they cannot be compared.
std::optional<double> speed_between(const std::optional<StepMark>& before,
                                    const std::optional<StepMark>& now) {
  if (!before || !now || !before->counts_as(*now)) return std::nullopt;
  const std::chrono::duration<double> span = now->at - before->at;
  const double way = now->position - before->position;
  if (span.count() <= 0 || way <= 0) return std::nullopt;
  return way / span.count();
}

}  // namespace

std::optional<StepMark> mark_of(const std::optional<monitor::Progress>& progress) {
  if (!progress || !progress->step) return std::nullopt;
  StepMark mark{progress->unit_word(), progress->step->of, false,
                static_cast<double>(progress->step->at), progress->at};
  if (progress->epoch && mark.of > 0) {
    mark.epochs = true;
    mark.position += static_cast<double>(progress->epoch->at) * static_cast<double>(mark.of);
  }
  return mark;
}

void StepRace::add(const std::map<std::string, std::optional<StepMark>>& marks) {
  const std::string found = slowest_in_window(marks);
  agreement_ = found == candidate_ ? agreement_ + 1 : 1;
  candidate_ = found;
  before_ = marks;
}

std::string StepRace::slowest_in_window(
    const std::map<std::string, std::optional<StepMark>>& marks) const {
  const std::optional<StepMark>* first = nullptr;
  std::vector<std::pair<double, std::string>> speeds;
  for (const auto& [name, mark] : marks) {
    const auto before = before_.find(name);
    if (before == before_.end()) return "";
    const auto speed = speed_between(before->second, mark);
    if (!speed) return "";
    if (first == nullptr) first = &mark;
    if (!mark->counts_as(**first)) return "";
    speeds.emplace_back(*speed, name);
  }
  if (speeds.size() < 2) return "";
  std::sort(speeds.begin(), speeds.end());
  return speeds[0].first * kMuchSlower < speeds[1].first ? speeds[0].second : "";
}

std::string StepRace::slowest() const {
  return agreement_ >= kAgreement ? candidate_ : "";
}

}  // namespace trainyard::node
