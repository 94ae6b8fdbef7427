#pragma once

#include "base/clock.h"
#include "base/notifier.h"
#include "base/task_group.h"
#include "node/network/relay_plan.h"

#include <boost/system/error_code.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trainyard::node {

/// Listens where relay_plan.h says and passes each connection on to a pod that is ready. Follows
/// the network as pods and Services come and go; when a Service goes, so do its connections.
class ServiceRelay {
 public:
  /// Told once why a port of a Service cannot be listened on.
  using Tell = std::function<void(const Key& service, std::string message)>;

  ServiceRelay(Executor loop, Clock& clock, Network& network,
               std::vector<std::string> node_addresses, Tell tell);
  ~ServiceRelay();
  /// Runs until it is cancelled; then stop() ends what is left.
  awaitable<void> run();
  awaitable<void> stop();

 private:
  struct Listener;
  using Listeners = std::map<RelayPlace, std::unique_ptr<Listener>>;

  /// Once; true when something could not be had and is to be tried again.
  bool follow();
  void tell_network(const std::map<RelayPlace, RelayRule>& wanted);
  void retire(Listeners::iterator listener);
  boost::system::error_code open(const RelayPlace& place, const RelayRule& rule);
  awaitable<void> end_retired();
  awaitable<void> accept_all(Listener& listener);

  Executor loop_;
  Clock& clock_;
  Network& network_;
  std::vector<std::string> node_addresses_;
  Tell tell_;
  Listeners listeners_;
  std::vector<std::unique_ptr<Listener>> retired_;  // whose connections are being ended
  std::set<RelayPlace> told_;                       // where there should be a listener
  bool dirty_ = true;
  Notifier changed_;
};

}  // namespace trainyard::node
