#include "shim/process/control.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace trainyard::shim {
namespace {

constexpr std::size_t kMostFds = 16;
/// Longer commands do not fit through a socket's buffer either.
constexpr std::size_t kPacketLimit = std::size_t{192} * 1024;

/// Cuts the text before the next NUL off `rest`.
std::optional<std::string_view> cut_text(std::string_view& rest) {
  std::size_t end = rest.find('\0');
  if (end == rest.npos) return std::nullopt;
  std::string_view text = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return text;
}

void take_fds(const msghdr& message, std::vector<Fd>& fds) {
  for (const cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(const_cast<msghdr*>(&message), const_cast<cmsghdr*>(part))) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      fds.emplace_back(fd);
    }
  }
}

}  // namespace

MaybeFailure parse_request(std::string_view bytes, Request& request) {
  auto kind = cut_text(bytes);
  if (!kind || (*kind != "exec" && *kind != "attach" && *kind != "socket")) {
    return Failure{
        "this container's shim does not know what it is asked for; is it older than the "
        "server? Start the pod again"};
  }
  request.kind = *kind == "exec"     ? Request::Kind::kExec
                 : *kind == "attach" ? Request::Kind::kAttach
                                     : Request::Kind::kSocket;
  while (!bytes.empty()) {
    auto key = cut_text(bytes);
    auto value = key ? cut_text(bytes) : std::nullopt;
    if (!value) return Failure{"the request to the shim ends inside a record"};
    if (*key == "arg") {
      request.args.emplace_back(*value);
    } else if (*key == "tty") {
      request.tty = *value == "1";
    } else {
      return Failure{"the shim does not know the key " + std::string(*key) + " of a request"};
    }
  }
  bool has_program = !request.args.empty() && !request.args.front().empty();
  if (request.kind == Request::Kind::kExec && !has_program) {
    return Failure{"no command was given"};
  }
  return std::nullopt;
}

Fd listen_for_requests(int dir) {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, "control");
  (void)::unlinkat(dir, address.sun_path, 0);
  constexpr int kWaiting = 64;
  if (!socket.valid() || ::fchdir(dir) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kWaiting) != 0) {
    return Fd();
  }
  return socket;
}

Received receive_packet(int connection, Packet& packet) {
  packet.bytes.resize(kPacketLimit);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFds * sizeof(int))> control;
  iovec part{packet.bytes.data(), packet.bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t count = ::recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Received::kNothingYet;
  if (count <= 0) return Received::kHangUp;
  take_fds(message, packet.fds);
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return Received::kHangUp;
  packet.bytes.resize(static_cast<std::size_t>(count));
  return Received::kPacket;
}

void send_packet(int connection, std::string_view bytes, int fd) {
  send_packet_with(connection, bytes, fd < 0 ? std::vector<int>() : std::vector<int>{fd});
}

void send_packet_with(int connection, std::string_view bytes, const std::vector<int>& fds) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  const std::size_t size = std::min(fds.size(), kMostFds) * sizeof(int);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFds * sizeof(int))> control{};
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
    std::memcpy(CMSG_DATA(header), fds.data(), size);
  }
  (void)::sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace trainyard::shim
