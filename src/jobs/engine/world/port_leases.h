#pragma once

#include "base/task_group.h"
#include "client/watching/informer.h"

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
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
  /// Keeps a port from other servers on the machine as long as what it returns lives; nullptr:
  /// another has it. Between a choice and somebody listening there pass seconds, or a download.
  std::function<std::shared_ptr<const void>(std::int64_t)> claim = [](std::int64_t) {
    return std::make_shared<int>();
  };

  bool is_shared() const { return first == last; }
};

/// The first of so many ports in a row that are not taken and usable; nothing: there are none. The
/// search begins at a place of the job's own, so that a port just given back rests for a while.
std::optional<std::int64_t> choose_port(const PortRange& range, const std::string& uid,
                                        const std::function<bool(std::int64_t)>& is_taken,
                                        std::int64_t ports = 1);

/// Gives every job that is not finished a port of its own, noted in its annotation. One for all job
/// kinds of a server: jobs of different kinds meet on the same machine. Follows the jobs of all
/// kinds, so that nothing has to be listed for a choice.
class PortLeases {
 public:
  PortLeases(Executor loop, client::Api& api, Clock& clock, PortRange range,
             const std::vector<Resource>& kinds);
  void start();
  awaitable<void> stop() { return tasks_.stop(); }

  /// Whether nobody else listens on the ports that the job has.
  bool are_usable(const Json& job) const;
  /// Writes ports in a row into the job, others than it has, and returns the job; nullptr: it is
  /// gone. kUnavailable when all are taken.
  awaitable<Result<ObjectPtr>> lease(Resource kind, ObjectPtr job, std::int64_t ports = 1);

 private:
  void on_job(const Json& job, bool deleted);
  /// Ports in a row; none of them: first is 0.
  struct Block {
    std::int64_t first = 0;
    std::int64_t count = 1;
    bool operator==(const Block&) const = default;
  };
  using Blocks = std::map<std::string, Block>;  // by job uid

  using Claims = std::map<std::int64_t, std::shared_ptr<const void>>;  // by port
  struct Holders {
    int count = 0;  // how many entries of seen_ and chosen_ have the port
    std::shared_ptr<const void> claim;
  };

  /// `claims` are those that were made for it already.
  void hold(Blocks& blocks, const std::string& uid, Block block, Claims claims = {});
  bool is_taken(std::int64_t port) const { return holders_.contains(port); }

  client::Api& api_;
  PortRange range_;
  std::list<client::Informer> jobs_;  // one a kind
  Blocks seen_;                       // what the informers tell
  /// Held from the choice until an informer tells of it, so that what an informer does
  /// not know yet is given to nobody else.
  Blocks chosen_;
  std::map<std::int64_t, Holders> holders_;  // by port
  TaskGroup tasks_;
};

}  // namespace trainyard::jobs
