#pragma once

#include "base/clock.h"
#include "node/container_run.h"

#include <string>
#include <vector>

namespace trainyard::node {

/// A container as its worker sees it.
struct ContainerView {
  std::string name;
  std::string image;
  int restarts = 0;
  RunState state;
  bool will_run_again = false;
  std::string waiting_reason;  // why it does not run yet: ContainerCreating, CreateContainerError …
  std::string waiting_message;
  bool init = false;  // runs, and must succeed, before the others
};

/// A pod's status from what its containers do, init containers among them. Pure.
Json make_pod_status(const std::vector<ContainerView>& views, const std::string& pod_ip,
                     const Json& before, WallTime now);

}  // namespace trainyard::node
