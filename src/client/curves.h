#pragma once

#include "base/async.h"
#include "base/result.h"
#include "contract/log_sources.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::client {

/// What hangs below jobs and TensorBoards: GET …/NAME/curves.
inline constexpr const char* kCurves = "curves";

struct CurvePoint {
  std::int64_t step = 0;
  double wall_time = 0;  // seconds since 1970
  double value = 0;
};

/// What is known of one curve without its points.
struct CurveFacts {
  std::string tag;
  std::uint64_t points = 0;  // how many were written
  CurvePoint last;
  double least = 0;  // of the numbers among them; greater than `greatest` when there are none
  double greatest = 0;
};

struct CurveRun {
  std::string name;
  /// Another one when points that were told before may not be true any more: a file was rewritten,
  /// or the program went back to a checkpoint. While it is the same, points are only added.
  std::string version;
  std::vector<CurveFacts> curves;
};

struct Curve {
  std::string run;
  std::string version;
  std::string tag;
  std::uint64_t written = 0;  // how many points there are in all
  std::vector<CurvePoint> points;
};

/// Which curves of the event files below these folders.
struct CurveQuestion {
  std::string ns;
  std::vector<contract::LogFolderSource> folders;
  std::vector<std::string> tags;      // none: only what there is
  std::vector<std::string> runs;      // none: of all
  std::size_t points = 1000;          // no more of a curve than that; least and greatest stay
  std::optional<std::int64_t> since;  // only points of later steps
  std::optional<std::int64_t> until;  // only points of this step and earlier ones
};

struct CurveAnswer {
  std::vector<CurveRun> runs;  // when no tags were asked for
  std::vector<Curve> curves;   // when some were
  /// What could not be read and what was damaged, counted, in words.
  std::vector<std::string> warnings;
};

/// The curves that training programs have written as TensorBoard's event files. Who asks has the
/// right to them: nothing is checked here.
class Curves {
 public:
  virtual ~Curves() = default;
  virtual awaitable<Result<CurveAnswer>> tell(CurveQuestion question) = 0;
};

}  // namespace trainyard::client
