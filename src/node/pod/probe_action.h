#pragma once

#include "base/clock.h"
#include "node/pod/probe.h"

#include <filesystem>
#include <string>

namespace trainyard::node {

/// Where a probe or a hook of a container is done.
struct ActionPlace {
  Json container;  // its entry in the pod's spec: ports may be named there
  std::string pod_ip;
  bool alone = false;  // in a private network: reached through its shim
  std::filesystem::path run_folder;
};

/// How one try went.
struct ActionResult {
  bool success = false;
  std::string message;  // what went wrong, in the words that users know; a hook's or probe's output
};

/// Does what `action` says (exec, httpGet, tcpSocket or sleep), within the timeout.
awaitable<ActionResult> do_action(Executor loop, Clock& clock, Json action, ActionPlace place,
                                  std::chrono::seconds timeout);

/// The port of an action: a number, or the name of one of the container's ports. 0: there is none.
int port_of(const Json& action, const Json& container);

}  // namespace trainyard::node
