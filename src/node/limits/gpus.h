#pragma once

#include "base/result.h"
#include "object/json/json.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::node {

/// Variables that show a container the GPUs it was given, and no others: CUDA_VISIBLE_DEVICES and
/// NVIDIA_VISIBLE_DEVICES. The scheduler gives GPUs to the pod, by number; its containers share
/// them out in their order, each init container has them first. `first`: the machine's number of
/// the node's first one. Pure.
std::vector<std::pair<std::string, std::string>> gpu_variables(const Json& pod,
                                                               const Json& container,
                                                               std::int64_t first);

/// Refuses to start a container whose GPUs have not been given to the pod, which may be: one that
/// came with its node waits until the scheduler finds as many free there. Pure.
Result<> check_gpus(const Json& pod, const Json& container);

/// The machine's numbers of the GPUs that the pod was given. Pure.
std::vector<int> gpus_of(const Json& pod, std::int64_t first);

}  // namespace trainyard::node
