#pragma once

#include "base/clock.h"
#include "node/training/curve_reader.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// A job that writes event files.
struct CurvesOfJob {
  std::string uid;
  std::string ns;
  std::vector<contract::LogFolderSource> folders;
  WallTime since;  // what was written earlier is another job's

  bool operator==(const CurvesOfJob&) const = default;
};

/// How far jobs have come by their event files, for lists of any length: one question makes only so
/// many folders be looked at, those first whose last look is longest ago. What the others said last
/// is told of them; a list that is asked for again and again has all of them in the end.
class CurveProgresses {
 public:
  CurveProgresses(CurveReader& reader, Clock& clock) : reader_(reader), clock_(clock) {}

  /// In the order of the jobs.
  awaitable<std::vector<std::optional<monitor::CurveProgress>>> tell(std::vector<CurvesOfJob> jobs);

 private:
  struct Known {
    CurvesOfJob job;  // a job whose folders are others, or which was started anew, is not known
    TimePoint asked;
    std::optional<TimePoint> read;
    std::optional<monitor::CurveProgress> progress;
  };
  /// What is known of the job, perhaps nothing.
  Known& entry(const CurvesOfJob& job);

  CurveReader& reader_;
  Clock& clock_;
  std::map<std::string, Known> known_;  // by uid
};

}  // namespace trainyard::node
