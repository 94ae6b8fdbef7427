#pragma once

#include "contract/usage_history.h"
#include "monitor/series/series_row.h"
#include "node/usage/recorded_pod.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::node {

/// All that is known of what a pod has used.
struct PodSeries {
  std::shared_ptr<const RecordedPod> pod;
  std::string blocks;                         // the bytes of its file
  std::vector<monitor::SeriesRow> unwritten;  // what is newer than those
};

/// Whether a pod is meant, as far as names and times tell.
bool is_meant(const RecordedPod& pod, const contract::UsageQuestion& question);
/// Whether its labels are meant, too.
bool has_labels(const RecordedPod& pod, const contract::UsageQuestion& question);

/// What is told of these pods: steps of whole seconds, no more than were asked for. Pure.
contract::UsageAnswer answer_usage(const contract::UsageQuestion& question,
                                   const std::vector<PodSeries>& pods, std::int64_t now);

}  // namespace trainyard::node
