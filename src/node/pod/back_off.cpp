#include "node/pod/back_off.h"

#include <algorithm>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

bool was_long(const RunState& run) {
  return run.started && run.finished && *run.finished - *run.started > 10min;
}

}  // namespace

std::chrono::seconds restart_pause(int crashes, const RunState& ended) {
  if (crashes <= 0 || was_long(ended)) return 0s;
  return std::min<std::chrono::seconds>(10s * (1 << std::min(crashes - 1, 5)), 300s);
}

int crashes_after(int crashes, const RunState& ended) {
  return was_long(ended) ? 1 : std::min(crashes + 1, kRunsThatCount);
}

int count_crashes(const std::vector<RunState>& earlier) {
  int crashes = 0;
  for (const RunState& run : earlier) {
    ++crashes;
    if (was_long(run)) break;
  }
  return std::min(crashes, kRunsThatCount);
}

}  // namespace trainyard::node
