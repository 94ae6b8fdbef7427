#pragma once

#include "cli/jobs_view.h"

#include <optional>
#include <string>

namespace trainyard::cli {

/// The curve that tells best how far a job has come: the one that was written to last.
struct LeadingCurve {
  std::string run;
  std::string tag;
  std::int64_t step = 0;
  std::string values;  // "loss 0.41, accuracy 0.9": the last ones
};

/// From the answer of …/NAME/curves, and from that of the same for one tag. Pure.
std::optional<LeadingCurve> leading_curve(const Json& answer);
/// Steps a second; none when there are too few points.
std::optional<double> curve_rate(const Json& answer);

/// What a job's event files say, in words; empty when it has none, or the server does not tell.
awaitable<std::string> curve_progress(client::RemoteApi& api, FoundJob job);

}  // namespace trainyard::cli
