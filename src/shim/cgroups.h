#pragma once

#include "shim/failure.h"
#include "shim/files.h"
#include "shim/spec.h"

#include <vector>

namespace trainyard::shim {

/// The control groups that the server made for the container. Opened before the mounts change: the
/// container need not see them. The shim itself stays outside, where no limit of the container's
/// can kill it.
class Cgroups {
 public:
  MaybeFailure open(const Spec& spec);
  /// In the process that becomes the container, while it still has the server's rights.
  MaybeFailure enter() const;
  /// Whether the kernel has killed a process of the container because its memory was used up.
  bool ran_out_of_memory() const;

 private:
  std::vector<Fd> groups_;  // who writes to it enters
  Fd oom_;
};

}  // namespace trainyard::shim
