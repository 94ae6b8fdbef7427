#pragma once

#include "base/task_group.h"
#include "client/informer.h"

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::jobs {

/// The ports that jobs may meet at. On the embedded node each running job gets its own; on a
/// cluster, where every pod has its own network, first and last are the same.
struct PortRange {
  std::int64_t first = 29500;
  std::int64_t last = 29999;
  /// So many below `first` are given out when those are all taken. All of them are below the ports
  /// that the kernel gives to connections.
  std::int64_t spare = 9500;
  /// Whether nobody else on the machine listens there.
  std::function<bool(std::int64_t)> usable = [](std::int64_t) { return true; };

  bool is_shared() const { return first == last; }
};

/// A port that is not taken and usable; nothing: there is none. The search begins at a place of the
/// job's own: another server on the machine may have given away a port a moment ago that nobody
/// listens on yet.
std::optional<std::int64_t> choose_port(const PortRange& range, const std::string& uid,
                                        const std::function<bool(std::int64_t)>& is_taken);

/// Gives every job that is not finished a port of its own, noted in its annotation. One for all job
/// kinds of a server: jobs of different kinds meet on the same machine. Follows the jobs of all
/// kinds, so that nothing has to be listed for a choice.
class PortLeases {
 public:
  PortLeases(Executor loop, client::Api& api, Clock& clock, PortRange range,
             const std::vector<Resource>& kinds);
  void start();
  awaitable<void> stop() { return tasks_.stop(); }

  bool is_usable(std::int64_t port) const { return range_.usable(port); }
  /// Writes a port into the job, another one than it has, and returns the job; nullptr: it is gone.
  /// kUnavailable when all are taken.
  awaitable<Result<ObjectPtr>> lease(Resource kind, ObjectPtr job);

 private:
  void on_job(const Json& job, bool deleted);
  void hold(std::map<std::string, std::int64_t>& ports, const std::string& uid, std::int64_t port);
  bool is_taken(std::int64_t port) const { return holders_.contains(port); }

  client::Api& api_;
  PortRange range_;
  std::list<client::Informer> jobs_;          // one a kind
  std::map<std::string, std::int64_t> seen_;  // by job uid: what the informers tell
  /// By job uid: held from the choice until an informer tells of it, so that what an informer does
  /// not know yet is given to nobody else.
  std::map<std::string, std::int64_t> chosen_;
  std::map<std::int64_t, int> holders_;  // by port: how many entries of the two have it
  TaskGroup tasks_;
};

}  // namespace trainyard::jobs
