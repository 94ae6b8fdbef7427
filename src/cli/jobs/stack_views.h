#pragma once

#include "client/pod_stacks.h"

#include <string>
#include <vector>

namespace trainyard::cli {

/// The stacks of one pod.
struct PodStackList {
  std::string pod;
  std::vector<client::ProcessStack> processes;
  std::string error;  // why there are none
};

/// All ranks, those that are in the same place together; the largest group first, so that the odd
/// one out stands at the end. `all_threads`: not only the main ones. Pure.
std::string show_stacks(const std::vector<PodStackList>& pods, bool all_threads);

}  // namespace trainyard::cli
