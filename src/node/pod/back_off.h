#pragma once

#include "node/run/run_state.h"

#include <chrono>
#include <vector>

namespace trainyard::node {

/// The pause between a run's end and the next run, as Kubernetes has it: none after the first run,
/// then 10 s, doubled with each run up to 5 minutes. A run of more than 10 minutes counts as a
/// first one again. `crashes`: how many runs before this one count.
std::chrono::seconds restart_pause(int crashes, const RunState& ended);

/// What `crashes` is for the run that follows.
int crashes_after(int crashes, const RunState& ended);

/// The same from the states of the earlier runs, newest first, for a server that comes back.
int count_crashes(const std::vector<RunState>& earlier);

/// No more of the earlier runs make a difference: what is older need not be kept.
inline constexpr int kRunsThatCount = 7;

}  // namespace trainyard::node
