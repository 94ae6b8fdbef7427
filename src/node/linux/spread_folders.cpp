#include "node/linux/spread_folders.h"

#include "base/files/unique_fd.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

namespace trainyard::node {

void spread_folders(const std::filesystem::path& parent) {
  const UniqueFd folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int flags = 0;
  if (!folder.valid() || ::ioctl(folder.get(), FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_TOPDIR_FL;
  (void)::ioctl(folder.get(), FS_IOC_SETFLAGS, &flags);
}

}  // namespace trainyard::node
