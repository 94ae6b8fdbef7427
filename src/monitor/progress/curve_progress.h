#pragma once

#include "monitor/progress/progress.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::monitor {

class RunData;

/// How far a training has come, from its event files.
struct CurveProgress {
  std::int64_t step = 0;
  std::optional<double> rate;                          // steps a second, lately
  std::vector<std::pair<std::string, double>> values;  // the last ones, those first that tell most
  WallTime at;                                         // when it was last written to
};

/// What one run says by its curve with the highest step. Points from before `since` are another
/// training's that wrote to the same folder. Pure, as all here.
std::optional<CurveProgress> read_curve_progress(const RunData& run, WallTime since);

/// Of several runs that which has come furthest, of those that are being written to: the ranks of a
/// training, or its evaluation, may each have one of their own.
std::optional<CurveProgress> leading_run(std::vector<CurveProgress> runs);

/// The rule by which a job's log and its event files make one answer:
///
/// 1. Of how many, and so what is left, only the log can say. Where it does, it leads: the event
///    files add what it does not say of step, rate and values.
/// 2. Where it does not, the event files lead, and the log adds its epoch.
/// 3. A log that has counted to its end while the event files went on has counted something else,
///    such as a download: it is left out.
/// 4. Where the log tells a total of steps and no rate, and the event files' step lies between the
///    log's and that total, both count the same: the event files say how far it is.
std::optional<Progress> join_progress(std::optional<Progress> log,
                                      const std::optional<CurveProgress>& curves, WallTime now);
/// Whether event files have nothing to add, so that they need not be looked at.
bool says_all(const Progress& log);
/// Whether one of two logs of a job tells more than the other.
bool says_more(const Progress& one, const Progress& other);

}  // namespace trainyard::monitor
