#include "cli/arena/commands/shell_session.h"

#include "base/notifier.h"
#include "base/task_group.h"
#include "cli/terminal/session_output.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <deque>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace trainyard::cli::arena {
namespace {

namespace asio = boost::asio;

enum Channel : unsigned char { kInput = 0, kResize = 4, kClose = 255 };

/// What is to be sent: several may have something to say, and only one may write at a time.
class Outbox {
 public:
  explicit Outbox(const Executor& loop) : filled_(loop) {}

  void put(Channel channel, std::string_view bytes) {
    http::WebSocket::Message message;
    message.binary = true;
    message.data = static_cast<char>(channel);
    message.data += bytes;
    waiting_.push_back(std::move(message));
    filled_.notify_all();
  }

  awaitable<void> send_all(http::WebSocket& socket) {
    while (true) {
      while (waiting_.empty()) co_await filled_.wait();
      http::WebSocket::Message next = std::move(waiting_.front());
      waiting_.pop_front();
      if (!co_await socket.write(std::move(next))) co_return;  // reading tells why
    }
  }

 private:
  Notifier filled_;
  std::deque<http::WebSocket::Message> waiting_;
};

awaitable<void> read_input(Executor loop, Outbox& outbox) {
  // A copy of the descriptor: what the loop does to it must not outlive us.
  asio::posix::stream_descriptor input(loop, ::dup(STDIN_FILENO));
  char buffer[4096];
  while (true) {
    // Files are always ready, and cannot be waited for.
    const auto [failed] = co_await input.async_wait(asio::posix::stream_descriptor::wait_read,
                                                    asio::as_tuple(asio::use_awaitable));
    if (failed == asio::error::operation_aborted) co_return;
    const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    outbox.put(kInput, {buffer, static_cast<std::size_t>(got)});
  }
  outbox.put(kClose, std::string_view("\0", 1));
}

void tell_size(Outbox& outbox) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return;
  outbox.put(kResize, fmt::format(R"({{"Width":{},"Height":{}}})", size.ws_col, size.ws_row));
}

awaitable<void> follow_size(Executor loop, Outbox& outbox) {
  asio::signal_set changes(loop, SIGWINCH);
  while (true) {
    tell_size(outbox);
    co_await changes.async_wait(asio::use_awaitable);
  }
}

}  // namespace

std::string shell_target(const ShellCommand& command) {
  std::string target =
      fmt::format("{}?container={}&stdin=true&stdout=true&{}=true",
                  client::resource_path(kPods, command.pod, "exec"),
                  http::percent_encode(command.container), command.terminal ? "tty" : "stderr");
  for (const std::string& word : command.words) target += "&command=" + http::percent_encode(word);
  return target;
}

awaitable<Result<int>> talk_to_shell(client::RemoteApi& api, Executor loop, ShellCommand command) {
  CO_TRY(const auto socket, co_await api.open_socket(shell_target(command), kSessionProtocol));
  Outbox outbox(loop);
  TaskGroup tasks(loop);
  tasks.spawn("send", outbox.send_all(*socket));
  tasks.spawn("input", read_input(loop, outbox));
  if (command.terminal) tasks.spawn("size", follow_size(loop, outbox));
  auto ended = co_await print_output(*socket);
  co_await tasks.stop();
  co_return ended;
}

RawTerminal::RawTerminal(bool wanted) {
  termios settings{};
  if (!wanted || ::tcgetattr(STDIN_FILENO, &settings) != 0) return;
  before_.assign(reinterpret_cast<const char*>(&settings), sizeof settings);
  ::cfmakeraw(&settings);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

RawTerminal::~RawTerminal() {
  if (before_.empty()) return;
  termios settings{};
  before_.copy(reinterpret_cast<char*>(&settings), sizeof settings);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

}  // namespace trainyard::cli::arena
