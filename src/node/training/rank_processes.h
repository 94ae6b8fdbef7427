#pragma once

#include "node/linux/process_states.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// Which rank a process was started as: RANK and its kin in its environment.
struct RankVariables {
  std::optional<int> rank;
  std::optional<int> local_rank;
  int world = 0;  // 0: it is not told
  bool operator==(const RankVariables&) const = default;
};

/// From the bytes of /proc/PID/environ.
RankVariables read_rank_variables(std::string_view environment);

/// A rank of a container, or all of a container that has none.
struct RankProcess {
  RankVariables variables;
  int pid = 0;              // whose stack tells where it is
  std::uint64_t start = 0;  // of that process
  std::vector<int> family;  // all that is part of it, loaders of data among them
};

/// Finds the ranks below a shim. Below torchrun, each of its workers is one; otherwise it is the
/// first process that was told a rank. Shells that only wait for a program are passed over.
std::vector<RankProcess> find_ranks(const ProcessStates& processes, int shim,
                                    const std::function<RankVariables(int pid)>& variables_of);

}  // namespace trainyard::node
