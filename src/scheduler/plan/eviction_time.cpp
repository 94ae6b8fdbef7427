#include "scheduler/plan/eviction_time.h"

#include <algorithm>

namespace trainyard::scheduler {

std::optional<std::chrono::seconds> time_to_stay(const NodeView& node, const Needs& needs) {
  using std::chrono::seconds;
  std::optional<seconds> shortest;
  for (const Taint& taint : node.taints) {
    if (taint.effect != Effect::kNoExecute) continue;
    bool tolerated = false;
    std::optional<seconds> borne;  // of all tolerations that fit, the shortest
    for (const Toleration& toleration : needs.tolerations) {
      if (!tolerates(toleration, taint)) continue;
      tolerated = true;
      if (!toleration.seconds) continue;
      const seconds given = std::max(*toleration.seconds, seconds(0));
      borne = std::min(borne.value_or(given), given);
    }
    if (!tolerated) return seconds(0);
    if (borne) shortest = std::min(shortest.value_or(*borne), *borne);
  }
  return shortest;
}

}  // namespace trainyard::scheduler
