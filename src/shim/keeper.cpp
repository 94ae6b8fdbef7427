#include "shim/keeper.h"

#include "shim/process/control.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace trainyard::shim {
namespace {

/// The other end of the pipe that all who need the keeper have.
Fd new_life_of(const Fd& life) {
  const std::string path = "/proc/self/fd/" + std::to_string(life.get());
  return Fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
}

bool listens(const Fd& socket) {
  int on = 0;
  socklen_t size = sizeof on;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_ACCEPTCONN, &on, &size) == 0 && on != 0;
}

/// With a reset, which clients report at once.
void turn_away(const Fd& port) {
  for (;;) {
    Fd visitor(::accept4(port.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!visitor.valid()) return;
    linger at_once{1, 0};
    (void)::setsockopt(visitor.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
}

class Keeper {
 public:
  Keeper(const Fd& server, const Fd& life) : listener_(server), life_(life) {}

  int run() {
    while (wait()) {
    }
    return 0;
  }

 private:
  /// False: nobody needs it any more.
  bool wait() {
    std::vector<pollfd> polled = {{life_.get(), 0, 0},  // its end is always reported
                                  {listener_.get(), POLLIN, 0},
                                  {connection_.get(), POLLIN, 0}};
    // What a server listens on is its own business while it is there.
    for (const Fd& port : ports_) {
      if (!connection_.valid() && listens(port)) polled.push_back({port.get(), POLLIN, 0});
    }
    if (::poll(polled.data(), polled.size(), -1) < 0) return errno == EINTR;
    if (polled[2].revents != 0) hear();
    if (polled[1].revents != 0) meet();
    if (!connection_.valid()) {
      for (const Fd& port : ports_) {
        if (listens(port)) turn_away(port);
      }
    }
    return connection_.valid() || (polled[0].revents & POLLHUP) == 0;
  }

  /// A server: the one before it has gone, or it would not have got the data folder's lock.
  void meet() {
    Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.valid()) return;
    connection_ = std::move(connection);
    std::vector<int> given;
    Fd life = new_life_of(life_);
    given.push_back(life.get());
    for (const Fd& port : ports_) given.push_back(port.get());
    send_packet_with(connection_.get(), "ports", given);
  }

  /// Which ports it has now, or that it has gone.
  void hear() {
    Packet packet;
    switch (receive_packet(connection_.get(), packet)) {
      case Received::kNothingYet:
        return;
      case Received::kHangUp:
        connection_.reset();
        return;
      case Received::kPacket:
        ports_ = std::move(packet.fds);
        for (const Fd& port : ports_) ::fcntl(port.get(), F_SETFL, O_RDWR | O_NONBLOCK);
        send_packet(connection_.get(), "kept");
        return;
    }
  }

  const Fd& listener_;
  const Fd& life_;
  Fd connection_;  // of the server that runs
  std::vector<Fd> ports_;
};

}  // namespace

int keep_ports(const Fd& server, const Fd& life) {
  return Keeper(server, life).run();
}

}  // namespace trainyard::shim
