#pragma once

#include "client/api.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trainyard::jobs {

/// The ports that jobs may meet at. On the embedded node each running job gets its own; on a
/// cluster, where every pod has its own network, first and last are the same.
struct PortRange {
  std::int64_t first = 29500;
  std::int64_t last = 29999;
  /// Whether nobody else on the machine listens there.
  std::function<bool(std::int64_t)> usable = [](std::int64_t) { return true; };
};

/// A port that is not taken and usable; nothing: there is none. The search begins at a place of the
/// job's own: another server on the machine may have given away a port a moment ago that nobody
/// listens on yet.
std::optional<std::int64_t> choose_port(const PortRange& range, const std::string& uid,
                                        const std::set<std::int64_t>& taken);

/// Gives every job that is not finished a port of its own, noted in its annotation. One for all job
/// kinds of a server: jobs of different kinds meet on the same machine.
class PortLeases {
 public:
  PortLeases(client::Api& api, PortRange range, std::vector<Resource> kinds)
      : api_(api), range_(std::move(range)), kinds_(std::move(kinds)) {}

  bool is_usable(std::int64_t port) const { return range_.usable(port); }
  /// Writes the port into the job; kUnavailable when all are taken. Another one than it has.
  awaitable<Result<>> lease(Resource kind, ObjectPtr job);

 private:
  struct Lease {
    std::int64_t port = 0;
    bool written = false;
  };
  awaitable<Result<std::set<std::int64_t>>> taken_ports();

  client::Api& api_;
  PortRange range_;
  std::vector<Resource> kinds_;
  /// By job uid: held from the choice until it is seen in a list, so that a list that is older than
  /// the choice gives no port away twice.
  std::map<std::string, Lease> leases_;
};

}  // namespace trainyard::jobs
