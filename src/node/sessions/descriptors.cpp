#include "node/sessions/descriptors.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cerrno>
#include <sys/ioctl.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;
constexpr std::size_t kPiece = 32UL * 1024;

}  // namespace

void Descriptor::open(UniqueFd fd) {
  if (!fd.valid()) return;
  descriptor_.assign(fd.release());
  descriptor_.non_blocking(true);
}

void Descriptor::close() {
  boost::system::error_code ignored;
  descriptor_.close(ignored);
}

std::string Descriptor::read_some() {
  std::string bytes;
  if (!is_open()) return bytes;
  bytes.resize(kPiece);
  const ssize_t size = ::read(descriptor_.native_handle(), bytes.data(), bytes.size());
  // A terminal ends with EIO.
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) close();
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return bytes;
}

awaitable<void> Descriptor::wait_readable() {
  if (!is_open()) {
    co_await never_.wait();
    co_return;
  }
  co_await descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                                  asio::as_tuple(asio::use_awaitable));
}

awaitable<Result<>> Descriptor::write_all(std::string bytes) {
  std::size_t written = 0;
  while (written < bytes.size() && is_open()) {
    const ssize_t size =
        ::write(descriptor_.native_handle(), bytes.data() + written, bytes.size() - written);
    if (size >= 0) {
      written += static_cast<std::size_t>(size);
    } else if (errno == EAGAIN) {
      co_await descriptor_.async_wait(asio::posix::stream_descriptor::wait_write,
                                      asio::as_tuple(asio::use_awaitable));
    } else if (errno != EINTR) {
      close();  // EPIPE: nobody reads any more
    }
  }
  co_return Ok();
}

void Descriptor::resize(std::uint16_t width, std::uint16_t height) {
  if (!is_open()) return;
  const struct winsize size{height, width, 0, 0};
  ::ioctl(descriptor_.native_handle(), TIOCSWINSZ, &size);
}

}  // namespace trainyard::node
