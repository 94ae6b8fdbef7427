#include "node/sessions/container_exec.h"

#include "node/run/shim_control.h"
#include "node/run/shim_report.h"
#include "node/sessions/descriptors.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;

/// How long the output of an ended command is waited for while something that it left behind holds
/// it open. What the command itself wrote is there when it ends, but for a terminal's delay.
constexpr auto kDrain = 100ms;

std::string encode_request(const std::vector<std::string>& command, bool tty) {
  std::string request = "exec";
  request += '\0';
  for (const std::string& word : command)
    request.append("arg").append(1, '\0').append(word) += '\0';
  if (tty) request.append("tty\0001\0", 6);
  return request;
}

/// The request separates its records by NUL.
Result<> check_words(const std::vector<std::string>& command) {
  if (command.empty() || command.front().empty()) {
    return Error(Code::kBadRequest, "no command was given: say what to run in the container");
  }
  for (const std::string& word : command) {
    if (word.find('\0') == std::string::npos) continue;
    return Error(Code::kBadRequest, "a command cannot contain a NUL character");
  }
  return Ok();
}

/// Both ends of each stream of a command.
struct Ends {
  UniqueFd in, out, err;                    // ours
  UniqueFd child_in, child_out, child_err;  // the command's

  std::vector<int> for_child(bool tty) const {
    if (tty) return {child_out.get()};
    return {child_in.get(), child_out.get(), child_err.get()};
  }
};

Result<> make_pipe(UniqueFd& read_end, UniqueFd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Error(Code::kUnavailable, fmt::format("no pipe can be made: {}", std::strerror(errno)));
  }
  read_end = UniqueFd(ends[0]);
  write_end = UniqueFd(ends[1]);
  return Ok();
}

Result<> make_terminal(Ends& ends) {
  int locked = 0;
  ends.out = UniqueFd(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (ends.out.valid() && ::ioctl(ends.out.get(), TIOCSPTLCK, &locked) == 0) {
    ends.child_out = UniqueFd(::ioctl(ends.out.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  }
  if (ends.child_out.valid()) return Ok();
  return Error(Code::kUnavailable,
               fmt::format("no terminal can be made: {}", std::strerror(errno)));
}

Result<> open_null(UniqueFd& fd) {
  fd = UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (fd.valid()) return Ok();
  return Error(Code::kUnavailable, fmt::format("/dev/null: {}", std::strerror(errno)));
}

Result<Ends> make_ends(const client::SessionOptions& options) {
  Ends ends;
  if (options.tty) {
    TRY_OK(make_terminal(ends));
    return ends;
  }
  TRY_OK(options.input ? make_pipe(ends.child_in, ends.in) : open_null(ends.child_in));
  TRY_OK(options.output ? make_pipe(ends.out, ends.child_out) : open_null(ends.child_out));
  TRY_OK(options.errors ? make_pipe(ends.err, ends.child_err) : open_null(ends.child_err));
  return ends;
}

class CommandSession final : public client::PodSession {
 public:
  CommandSession(const Executor& loop, Clock& clock)
      : clock_(clock), control_(loop), in_(loop), out_(loop), err_(loop) {}

  Result<> start(const std::filesystem::path& run_folder, const client::SessionOptions& options,
                 const std::vector<std::string>& command) {
    TRY_OK(check_words(command));
    TRY_OK(control_.connect(run_folder));
    TRY(Ends ends, make_ends(options));
    TRY_OK(control_.send(encode_request(command, options.tty), ends.for_child(options.tty)));
    tty_ = options.tty;
    out_.open(std::move(ends.out));
    err_.open(std::move(ends.err));
    if (!tty_) in_.open(std::move(ends.in));
    takes_input_ = options.input;
    return Ok();
  }

  awaitable<Result<std::optional<client::OutputPiece>>> read() override {
    while (true) {
      if (std::optional<client::OutputPiece> piece = take_output()) co_return piece;
      if (hung_up_) co_return Error(Code::kCancelled, "the session was ended");
      const bool drained = !out_.is_open() && !err_.is_open();
      if (ended_ && drained) co_return std::nullopt;
      if (ended_) {
        const TimePoint until = clock_.now() + kDrain;
        co_await (out_.wait_readable() || err_.wait_readable() || clock_.sleep_until(until));
        if (clock_.now() >= until) close_output();
      } else {
        co_await (out_.wait_readable() || err_.wait_readable() || wait_end());
      }
    }
  }

  awaitable<Result<>> write(std::string bytes) override {
    if (!takes_input_) co_return Ok();
    co_return co_await (tty_ ? out_ : in_).write_all(std::move(bytes));
  }

  void close_input() override {
    takes_input_ = false;
    // A terminal has no end of input; what a user types for it is Control-D.
    if (!tty_) in_.close();
  }

  void resize(std::uint16_t width, std::uint16_t height) override {
    if (tty_) out_.resize(width, height);
  }

  const client::SessionEnd& end() const override { return end_; }

  void hang_up() override {
    hung_up_ = true;
    control_.close();
    in_.close();
    close_output();
  }

 private:
  /// What is there now; one stream and then the other, so that neither starves.
  std::optional<client::OutputPiece> take_output() {
    for (int i = 0; i < 2; ++i) {
      err_first_ = !err_first_;
      Descriptor& from = err_first_ ? err_ : out_;
      std::string bytes = from.read_some();
      if (bytes.empty()) continue;
      return client::OutputPiece{
          err_first_ ? client::OutputStream::kErr : client::OutputStream::kOut, std::move(bytes)};
    }
    return std::nullopt;
  }

  awaitable<void> wait_end() {
    ShimControl::Answer answer = co_await control_.receive();
    if (hung_up_) co_return;
    control_.close();
    ended_ = true;
    if (answer.text.empty()) {
      end_ = {137, "the container has ended"};
      co_return;
    }
    end_.exit_code =
        std::strtoll(std::string(report_value(answer.text, "code")).c_str(), nullptr, 10);
    end_.message = report_value(answer.text, "message");
  }

  void close_output() {
    out_.close();
    err_.close();
  }

  Clock& clock_;
  ShimControl control_;
  Descriptor in_;   // invalid with a terminal
  Descriptor out_;  // with a terminal: its other side, for both directions
  Descriptor err_;
  bool tty_ = false;
  bool takes_input_ = false;
  bool err_first_ = false;
  bool ended_ = false;
  bool hung_up_ = false;
  client::SessionEnd end_;
};

awaitable<Result<CommandResult>> collect(std::unique_ptr<client::PodSession> session) {
  CommandResult result;
  while (true) {
    CO_TRY(const std::optional<client::OutputPiece> piece, co_await session->read());
    if (!piece) break;
    const std::size_t room = kCommandOutputLimit - result.output.size();
    result.output.append(piece->bytes, 0, room);
  }
  result.exit_code = session->end().exit_code;
  if (result.output.empty()) result.output = session->end().message;
  co_return result;
}

}  // namespace

Result<std::unique_ptr<client::PodSession>> start_command(const Executor& loop, Clock& clock,
                                                          const std::filesystem::path& run_folder,
                                                          const client::SessionOptions& options,
                                                          const std::vector<std::string>& command) {
  auto session = std::make_unique<CommandSession>(loop, clock);
  TRY_OK(session->start(run_folder, options, command));
  return std::unique_ptr<client::PodSession>(std::move(session));
}

awaitable<Result<CommandResult>> run_in_container(Executor loop, Clock& clock,
                                                  std::filesystem::path run_folder,
                                                  std::vector<std::string> command,
                                                  std::chrono::nanoseconds timeout) {
  client::SessionOptions options;
  options.output = options.errors = true;
  CO_TRY(auto session, start_command(loop, clock, run_folder, options, command));
  auto outcome = co_await (collect(std::move(session)) || clock.sleep_for(timeout));
  if (outcome.index() == 0) co_return std::get<0>(std::move(outcome));
  co_return Error(Code::kTimeout,
                  fmt::format("the command did not end within {}",
                              format_age(std::chrono::ceil<std::chrono::seconds>(timeout))));
}

}  // namespace trainyard::node
