#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>

namespace trainyard::node {

/// What has passed through something since it was opened.
struct Traffic {
  std::int64_t received_bytes = 0;
  std::int64_t sent_bytes = 0;
};

/// By the inode of the socket.
using TrafficOfSockets = std::map<std::uint64_t, Traffic>;

/// Of all TCP connections of this network namespace, as the kernel has counted it for each.
Result<TrafficOfSockets> read_tcp_traffic();

}  // namespace trainyard::node
