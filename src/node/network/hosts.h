#pragma once

#include "base/clock.h"
#include "base/notifier.h"
#include "node/config.h"
#include "node/network/hosts_text.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainyard::node {

/// Keeps the /etc/hosts of the pods, by which they find each other and Services. A file is changed
/// in place: it is mounted into containers.
class Hosts {
 public:
  Hosts(Executor loop, Clock& clock, const Paths& paths, Network& network);

  /// The file of a pod that is about to start. One that is there is left to run().
  Result<> add(const std::string& uid);
  void remove(const std::string& uid) { written_.erase(uid); }
  /// Brings the files up to date whenever the network has changed, until it is cancelled. Many
  /// changes at once cost no more than one.
  awaitable<void> run();
  /// Once, now.
  awaitable<void> write_changed();

 private:
  /// Writes the pod's file when it is not what it should be; how many bytes.
  std::size_t write_one(const std::string& uid, HostsText& texts);
  std::vector<std::string> in_turn() const;

  Clock& clock_;
  Paths paths_;
  Network& network_;
  std::map<std::string, std::uint64_t> written_;  // uid → HostsText::hash_of(); 0: not known
  std::string last_;                              // the uid that had its turn last
  bool dirty_ = false;
  Notifier changed_;
};

}  // namespace trainyard::node
