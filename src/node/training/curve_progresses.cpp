#include "node/training/curve_progresses.h"

#include <algorithm>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostFolders = 256;  // of one question: less than a second of small ones
constexpr std::size_t kMostFoldersOfAJob = 8;
constexpr auto kLongest = 2s;    // folders that are large take their time when they are first read
constexpr auto kFreshList = 5s;  // several who look at the same list make it be read once
constexpr auto kIdleList = 10min;

}  // namespace

CurveProgresses::Known& CurveProgresses::entry(const CurvesOfJob& job) {
  Known& known = known_[job.uid];
  if (known.job != job) known = Known{job, {}, {}, {}};
  known.asked = clock_.now();
  return known;
}

awaitable<std::vector<std::optional<monitor::CurveProgress>>> CurveProgresses::tell(
    std::vector<CurvesOfJob> jobs) {
  const TimePoint begin = clock_.now();
  std::erase_if(known_, [&](const auto& each) { return begin - each.second.asked >= kIdleList; });
  std::vector<std::pair<TimePoint, std::size_t>> due;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto& folders = jobs[i].folders;
    if (folders.size() > kMostFoldersOfAJob) folders.resize(kMostFoldersOfAJob);
    const Known& known = entry(jobs[i]);
    if (known.read && begin - *known.read < kFreshList) continue;
    due.emplace_back(known.read.value_or(TimePoint::min()), i);
  }
  std::sort(due.begin(), due.end());
  std::size_t looked_at = 0;
  for (const auto& [read, i] : due) {
    looked_at += jobs[i].folders.size();
    if (looked_at > kMostFolders || clock_.now() - begin >= kLongest) break;
    auto progress = co_await reader_.tell_progress(jobs[i].ns, jobs[i].folders, jobs[i].since);
    Known& known = entry(jobs[i]);  // somebody else may have asked meanwhile
    known.progress = std::move(progress);
    known.read = clock_.now();
  }
  std::vector<std::optional<monitor::CurveProgress>> told;
  told.reserve(jobs.size());
  for (const CurvesOfJob& job : jobs) told.push_back(entry(job).progress);
  co_return told;
}

}  // namespace trainyard::node
