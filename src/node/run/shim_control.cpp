#include "node/run/shim_control.h"

#include "base/files/files.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;
constexpr std::size_t kMostFds = 3;
constexpr std::size_t kAnswerLimit = 8192;
// The newest that this server speaks (src/shim/README.md). Older ones are a part of it.
constexpr int kProtocol = 2;

/// Of the shim that lives there; those of protocol 1 do not say.
int protocol_of(const std::filesystem::path& run_folder) {
  std::istringstream text(read_file(run_folder / "pid").value_or(""));
  std::string pid;
  std::string start;
  std::string boot;
  int protocol = 1;
  if (!(text >> pid >> start >> boot >> protocol)) return 1;
  return protocol;
}

UniqueFd take_fd(const msghdr& message) {
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
    return UniqueFd();
  }
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return UniqueFd(fd);
}

}  // namespace

Result<> ShimControl::connect(const std::filesystem::path& run_folder) {
  if (const int protocol = protocol_of(run_folder); protocol > kProtocol) {
    return Error(Code::kBadRequest,
                 fmt::format("the container was started by a newer version of trainyard (protocol "
                             "{}, this one speaks {}), which alone can run commands in it: install "
                             "that version again",
                             protocol, kProtocol));
  }
  const UniqueFd folder(::open(run_folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  struct sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The folder's own path may be longer than the path of a socket can be.
  const std::string path = fmt::format("/proc/self/fd/{}/control", folder.get());
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (!folder.valid() || !socket.valid() ||
      ::connect(socket.get(), reinterpret_cast<const struct sockaddr*>(&address), sizeof address) !=
          0) {
    return Error(Code::kBadRequest,
                 fmt::format("the container takes no commands ({}): it has ended, or was started "
                             "by an older version",
                             std::strerror(errno)));
  }
  socket_.assign(socket.release());
  return Ok();
}

Result<> ShimControl::send(std::string_view request, const std::vector<int>& fds) {
  struct iovec part{const_cast<char*>(request.data()), request.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFds * sizeof(int))> control{};
  struct msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
  }
  if (::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL) >= 0) return Ok();
  if (errno == EMSGSIZE) {
    return Error(Code::kBadRequest, "the command is too long: put it into a file in the container");
  }
  return Error(Code::kBadRequest,
               fmt::format("the container has just ended ({})", std::strerror(errno)));
}

awaitable<ShimControl::Answer> ShimControl::receive() {
  Answer answer;
  while (socket_.is_open()) {
    answer.text.resize(kAnswerLimit);
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    struct iovec part{answer.text.data(), answer.text.size()};
    struct msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size =
        ::recvmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size >= 0 || (errno != EAGAIN && errno != EINTR)) {
      answer.text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      if (size > 0) answer.fd = take_fd(message);
      co_return answer;
    }
    co_await socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                                asio::as_tuple(asio::use_awaitable));
  }
  answer.text.clear();
  co_return answer;
}

void ShimControl::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace trainyard::node
