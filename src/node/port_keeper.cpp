#include "node/port_keeper.h"

#include "base/files/files.h"
#include "base/log.h"

#include <fmt/format.h>
#include <spawn.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeeperName = "keeper";
constexpr int kPatienceMs = 5'000;
constexpr std::size_t kMostSockets = 16;
constexpr int kServerFd = 3;   // where the keeper expects the socket that servers come to,
constexpr int kLifeEndFd = 4;  // and the end of its pipe

Error not_kept(std::string_view why) {
  return Error(Code::kUnavailable, fmt::format("the keeper of the server's ports {}", why));
}

/// DATA_DIR/keeper, by a path that is never too long for a socket.
sockaddr_un address_in(const UniqueFd& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder.get(), kKeeperName);
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

UniqueFd open_data_folder(const fs::path& folder) {
  return UniqueFd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/// Where a socket is bound to, in the form `HOST PORT`.
std::string place_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  if (address.ss_family == AF_INET) {
    const auto* in = reinterpret_cast<const sockaddr_in*>(&address);
    ::inet_ntop(AF_INET, &in->sin_addr, text.data(), text.size());
    return fmt::format("{} {}", text.data(), ntohs(in->sin_port));
  }
  const auto* in6 = reinterpret_cast<const sockaddr_in6*>(&address);
  ::inet_ntop(AF_INET6, &in6->sin6_addr, text.data(), text.size());
  return fmt::format("{} {}", text.data(), ntohs(in6->sin6_port));
}

std::string place_of(const ListenAddress& address) {
  const bool is_name = address.host == "localhost";
  return fmt::format("{} {}", is_name ? "127.0.0.1" : address.host, address.port);
}

/// The same port of ::1, which nobody shall listen on; nothing where the socket is not on
/// 127.0.0.1.
std::string twin_of(const std::string& place) {
  constexpr std::string_view kLoopback = "127.0.0.1 ";
  return place.starts_with(kLoopback) ? "::1 " + place.substr(kLoopback.size()) : "";
}

/// Bound, and not more: who connects is refused, and goes on to 127.0.0.1.
UniqueFd occupy(const std::string& twin) {
  UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return socket;  // a machine without IPv6
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  address.sin6_port = htons(static_cast<std::uint16_t>(std::stoi(twin.substr(twin.find(' ')))));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return socket;
  }
  if (errno == EADDRINUSE) {
    log_warn("somebody listens on the server's port of ::1: do not use the name localhost",
             {{"port", ntohs(address.sin6_port)}});
  }
  return UniqueFd();
}

std::vector<UniqueFd> take_fds(const msghdr& message) {
  std::vector<UniqueFd> fds;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
    return fds;
  }
  const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
    fds.emplace_back(fd);
  }
  return fds;
}

Result<> spawn_keeper(const fs::path& shim, const fs::path& data_dir, int server, int life_end) {
  // posix_spawn clears CLOEXEC on the copy that dup2 makes, unless source and target are equal.
  const UniqueFd passed_server(::fcntl(server, F_DUPFD_CLOEXEC, kLifeEndFd + 1));
  const UniqueFd passed_end(::fcntl(life_end, F_DUPFD_CLOEXEC, kLifeEndFd + 1));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, passed_server.get(), kServerFd);
  posix_spawn_file_actions_adddup2(&actions, passed_end.get(), kLifeEndFd);
  std::string program = shim.string();
  std::string option = "--keep";
  std::string folder = data_dir.string();
  std::array<char*, 4> arguments{program.data(), option.data(), folder.data(), nullptr};
  char* no_environment[] = {nullptr};
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments.data(), no_environment);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return io_error("starting", shim, failed);
  return Ok();
}

}  // namespace

Result<PortKeeper> PortKeeper::open(const fs::path& data_dir, const fs::path& shim) {
  PortKeeper keeper;
  // One that is there may be about to end, with the last pod.
  if (keeper.connect(data_dir) && keeper.receive() && keeper.life_.valid()) return keeper;
  keeper = PortKeeper();
  TRY_OK(keeper.begin(data_dir, shim));
  TRY_OK(keeper.connect(data_dir));
  TRY_OK(keeper.receive());
  return keeper;
}

Result<> PortKeeper::connect(const fs::path& data_dir) {
  const UniqueFd folder = open_data_folder(data_dir);
  connection_ = UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_in(folder);
  if (!connection_.valid() ||
      ::connect(connection_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
          0) {
    return io_error("connecting to", data_dir / kKeeperName, errno);
  }
  return Ok();
}

Result<> PortKeeper::begin(const fs::path& data_dir, const fs::path& shim) {
  const UniqueFd folder = open_data_folder(data_dir);
  (void)::unlink((data_dir / kKeeperName).c_str());
  const UniqueFd server(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = address_in(folder);
  if (!server.valid() ||
      ::bind(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(server.get(), 4) != 0) {
    return io_error("making", data_dir / kKeeperName, errno);
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("making a pipe for", data_dir, errno);
  const UniqueFd life_end(ends[0]);
  life_ = UniqueFd(ends[1]);
  return spawn_keeper(shim, data_dir, server.get(), life_end.get());
}

Result<> PortKeeper::receive() {
  pollfd answered{connection_.get(), POLLIN, 0};
  if (::poll(&answered, 1, kPatienceMs) != 1) return not_kept("does not answer");
  std::array<char, 64> text{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostSockets * sizeof(int))> control{};
  iovec part{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (::recvmsg(connection_.get(), &message, MSG_CMSG_CLOEXEC) <= 0) {
    return not_kept("has just ended");
  }
  std::vector<UniqueFd> given = take_fds(message);
  if (given.empty()) return Ok();  // it says that it has heard
  life_ = std::move(given.front());
  given.erase(given.begin());
  kept_ = std::move(given);
  return Ok();
}

Result<> PortKeeper::send(const std::vector<int>& sockets) {
  std::string text = "keep";
  iovec part{text.data(), text.size()};
  const std::size_t size = std::min(sockets.size(), kMostSockets - 1) * sizeof(int);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostSockets * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (size > 0) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(header), sockets.data(), size);
  }
  if (::sendmsg(connection_.get(), &message, MSG_NOSIGNAL) < 0) return not_kept("has ended");
  return receive();
}

Result<> PortKeeper::want(const std::vector<ListenAddress>& wanted) {
  std::erase_if(kept_, [&](const UniqueFd& socket) {
    const std::string here = place_of(socket.get());
    return std::none_of(wanted.begin(), wanted.end(), [&](const ListenAddress& address) {
      const std::string place = place_of(address);
      return here == place || here == twin_of(place);
    });
  });
  std::vector<int> sockets;
  for (const UniqueFd& socket : kept_) sockets.push_back(socket.get());
  return send(sockets);
}

UniqueFd PortKeeper::take(const ListenAddress& wanted) {
  for (UniqueFd& socket : kept_) {
    if (socket.valid() && place_of(socket.get()) == place_of(wanted)) return std::move(socket);
  }
  return UniqueFd();
}

Result<> PortKeeper::keep(const std::vector<int>& listeners) {
  std::vector<int> sockets = listeners;
  std::vector<UniqueFd> twins;
  for (const int listener : listeners) {
    const std::string twin = twin_of(place_of(listener));
    const auto is_twin = [&](int socket) { return place_of(socket) == twin; };
    if (twin.empty() || std::any_of(listeners.begin(), listeners.end(), is_twin)) continue;
    const auto kept = std::find_if(kept_.begin(), kept_.end(), [&](const UniqueFd& socket) {
      return socket.valid() && place_of(socket.get()) == twin;
    });
    UniqueFd socket = kept != kept_.end() ? std::move(*kept) : occupy(twin);
    if (!socket.valid()) continue;
    sockets.push_back(socket.get());
    twins.push_back(std::move(socket));
  }
  kept_ = std::move(twins);
  return send(sockets);
}

}  // namespace trainyard::node
