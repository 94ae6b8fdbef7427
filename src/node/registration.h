#pragma once

#include "base/clock.h"
#include "client/api.h"
#include "node/config.h"
#include "node/machine.h"

namespace trainyard::node {

/// Presents the machine's nodes to the API, and says from time to time that they live. A Node that
/// somebody deletes stays away until the server starts again, as with a kubelet.
class Registration {
 public:
  Registration(client::Api& api, Clock& clock, const NodeConfig& config)
      : api_(api), clock_(clock), config_(config), machine_(look_at_machine(config.data_dir)) {}

  /// Removes the Nodes that this machine presented before, and now does not.
  awaitable<Result<>> remove_former();
  /// Creates the Nodes or brings them up to date.
  awaitable<Result<>> register_nodes();
  /// Until it is cancelled.
  awaitable<void> keep_alive();

 private:
  awaitable<Result<>> register_node(NodeSpec spec);
  awaitable<Result<>> renew(std::string name, bool with_status);

  client::Api& api_;
  Clock& clock_;
  const NodeConfig& config_;
  Machine machine_;
};

}  // namespace trainyard::node
