#pragma once

#include "base/async.h"
#include "base/result.h"
#include "contract/python_stack.h"
#include "object/values/metadata.h"

#include <optional>
#include <string>
#include <vector>

namespace trainyard::client {

/// Where one process of a pod is: a rank, or what a container without ranks runs.
struct ProcessStack {
  std::string container;
  std::optional<int> rank;
  int pid = 0;  // as the machine counts
  std::string command;
  std::string waits;                           // what it does or waits in, as the kernel sees it
  std::vector<contract::ThreadStack> threads;  // Python's; empty: they could not be had
  std::string no_python;                       // why there are none
  bool operator==(const ProcessStack&) const = default;
};

/// The stacks of pods' processes. The node takes them; the server passes them on.
class PodStacks {
 public:
  virtual ~PodStacks() = default;
  /// Of all that runs in the pod; nothing where nothing runs. kNotFound: there is no such pod.
  virtual awaitable<Result<std::vector<ProcessStack>>> take_stacks(Key pod) = 0;
};

/// As the API tells it, and back.
Json stacks_json(const std::vector<ProcessStack>& stacks);
std::vector<ProcessStack> read_stacks(const Json& answer);

}  // namespace trainyard::client
