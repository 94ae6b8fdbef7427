#pragma once

#include "shim/failure.h"
#include "shim/files.h"
#include "shim/spec.h"

#include <sys/types.h>
#include <vector>

namespace trainyard::shim {

/// The control groups that the server made for the container. Opened before the mounts change: the
/// container need not see them. The shim itself stays outside, where no limit of the container's
/// can kill it.
class Cgroups {
 public:
  MaybeFailure open(const Spec& spec);
  /// Like fork(); but the child begins in the group where the kernel can do that (version 2), which
  /// spares it the wait of enter(). `inside` says which it was.
  pid_t fork_into(bool& inside) const;
  /// In the process that becomes the container, while it still has the server's rights.
  MaybeFailure enter() const;
  /// Whether the kernel has killed a process of the container because its memory was used up.
  bool ran_out_of_memory() const;

 private:
  std::vector<Fd> groups_;  // who writes to it enters
  Fd folder_;               // of the only one, if it is of version 2
  Fd oom_;
};

}  // namespace trainyard::shim
