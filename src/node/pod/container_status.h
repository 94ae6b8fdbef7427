#pragma once

#include "node/pod/pod_status.h"

namespace trainyard::node {

/// 40s, 2m40s: as kubelet writes them.
std::string format_pause(std::chrono::seconds pause);

/// An entry of status.containerStatuses or status.initContainerStatuses. Pure.
Json make_container_status(const PodView& pod, const ContainerView& container, const Step& step,
                           const PodFacts& facts);

}  // namespace trainyard::node
