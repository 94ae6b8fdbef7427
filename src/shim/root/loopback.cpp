#include "shim/root/loopback.h"

#include "shim/files.h"

#include <net/if.h>

#include <cstring>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace trainyard::shim {

MaybeFailure raise_loopback() {
  Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq interface{};
  std::strcpy(interface.ifr_name, "lo");
  if (!socket.valid() || ::ioctl(socket.get(), SIOCGIFFLAGS, &interface) != 0) {
    return errno_failure("the loopback interface of the container's own network");
  }
  interface.ifr_flags |= IFF_UP;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &interface) != 0) {
    return errno_failure("the loopback interface of the container's own network");
  }
  return std::nullopt;
}

}  // namespace trainyard::shim
