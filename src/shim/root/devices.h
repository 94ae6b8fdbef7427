#pragma once

#include "shim/failure.h"
#include "shim/root/mount_points.h"

#include <string>
#include <vector>

namespace trainyard::shim {

/// Puts a /dev of the container's own over the host's: the devices that every program may rely on,
/// accelerators and network adapters for training, terminals of its own. The machine's disks and
/// memory are not in it. What cannot be had becomes a line of `notes`.
MaybeFailure set_up_devices(MountPoints& points, std::vector<std::string>& notes);

}  // namespace trainyard::shim
