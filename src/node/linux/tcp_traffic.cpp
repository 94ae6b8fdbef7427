// Asks the kernel by NETLINK_SOCK_DIAG, see sock_diag(7).
#include "node/linux/tcp_traffic.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace trainyard::node {
namespace {

constexpr unsigned kListening = 10;  // TCP_LISTEN: through such a socket passes nothing

/// The kernel's tcp_info begins with the one that the C library knows, and goes on so since 4.1.
struct TcpInfo {
  tcp_info known;
  std::uint64_t pacing_rate;
  std::uint64_t most_pacing_rate;
  std::uint64_t bytes_acked;
  std::uint64_t bytes_received;
};
static_assert(offsetof(TcpInfo, bytes_acked) == 120);

Error failed_to(const char* what) {
  return io_error(what, "NETLINK_SOCK_DIAG", errno);
}

Result<> ask(const UniqueFd& netlink, int family) {
  struct {
    nlmsghdr header;
    inet_diag_req_v2 question;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.question.sdiag_family = static_cast<unsigned char>(family);
  request.question.sdiag_protocol = IPPROTO_TCP;
  request.question.idiag_states = ~(1U << kListening);
  request.question.idiag_ext = 1U << (INET_DIAG_INFO - 1);
  if (::send(netlink.get(), &request, sizeof request, 0) != sizeof request) {
    return failed_to("asking");
  }
  return Ok();
}

/// An answer is a fixed part, then attributes; INET_DIAG_INFO is a tcp_info, of the kernel's
/// length.
void note(const nlmsghdr* message, TrafficOfSockets& traffic) {
  const auto* socket = static_cast<const inet_diag_msg*>(NLMSG_DATA(message));
  auto left = static_cast<int>(message->nlmsg_len) - static_cast<int>(NLMSG_LENGTH(sizeof *socket));
  const auto* attribute = reinterpret_cast<const rtattr*>(socket + 1);
  for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    if (attribute->rta_type != INET_DIAG_INFO) continue;
    TcpInfo info{};
    std::memcpy(&info, RTA_DATA(attribute),
                std::min<std::size_t>(sizeof info, RTA_PAYLOAD(attribute)));
    // Acknowledged, not sent: what had to be sent twice has arrived once.
    traffic[socket->idiag_inode] = {static_cast<std::int64_t>(info.bytes_received),
                                    static_cast<std::int64_t>(info.bytes_acked)};
  }
}

Result<> read_answers(const UniqueFd& netlink, TrafficOfSockets& traffic) {
  alignas(nlmsghdr) std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::recv(netlink.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed_to("reading");
    auto left = static_cast<unsigned>(count);
    const auto* message = reinterpret_cast<const nlmsghdr*>(buffer.data());
    for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_type == NLMSG_DONE) return Ok();
      if (message->nlmsg_type == NLMSG_ERROR) {
        errno = -static_cast<const nlmsgerr*>(NLMSG_DATA(message))->error;
        return failed_to("asking");
      }
      note(message, traffic);
    }
  }
}

}  // namespace

Result<TrafficOfSockets> read_tcp_traffic() {
  const UniqueFd netlink(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink.valid()) return failed_to("opening");
  TrafficOfSockets traffic;
  for (const int family : {AF_INET, AF_INET6}) {
    TRY_OK(ask(netlink, family));
    TRY_OK(read_answers(netlink, traffic));
  }
  return traffic;
}

}  // namespace trainyard::node
