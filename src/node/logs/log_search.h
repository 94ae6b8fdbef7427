#pragma once

#include "base/async.h"
#include "client/pod_streams.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::node {

/// A place in a log.
struct LogPlace {
  std::uint64_t segment = 0;
  std::int64_t offset = 0;
};

/// Where reading has to begin for these options: the last lines are looked for from the end, a time
/// by bisection, so that neither reads more of a large log than it must. Lets others run meanwhile.
awaitable<Result<LogPlace>> find_start(Executor loop, std::filesystem::path folder,
                                       client::LogOptions options);

/// Where the first record is that is not older than `since`, or the end of the last file.
LogPlace place_of_time(const std::filesystem::path& folder, const std::string& since,
                       const std::vector<std::uint64_t>& segments);

/// Where in a file the first record begins that is not older than `since` (see comparable_time());
/// its size when all are.
std::int64_t offset_of_time(int fd, const std::string& since);

}  // namespace trainyard::node
