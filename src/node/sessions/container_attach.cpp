#include "node/sessions/container_attach.h"

#include "node/logs/log_file.h"
#include "node/run/shim_control.h"
#include "node/sessions/descriptors.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <deque>

namespace trainyard::node {
namespace {

using namespace boost::asio::experimental::awaitable_operators;

class AttachedSession final : public client::PodSession {
 public:
  AttachedSession(const Executor& loop, Clock& clock, ContainerRun run,
                  client::SessionOptions options)
      : loop_(loop),
        clock_(clock),
        run_(std::move(run)),
        options_(std::move(options)),
        control_(loop),
        input_(loop),
        hung_up_changed_(loop) {}

  awaitable<Result<>> start() {
    client::LogOptions log;
    log.follow = true;
    log.tail_lines = 0;
    if (options_.input || options_.tty) {
      CO_TRY(const bool first, co_await take_input());
      if (first) log.tail_lines.reset();
    }
    log_ = std::make_unique<LogFile>(loop_, clock_, run_.folder(), std::move(log), [run = run_] {
      return run.state().phase == RunState::Phase::kEnded;
    });
    co_return co_await log_->open();
  }

  awaitable<Result<std::optional<client::OutputPiece>>> read() override {
    if (pieces_.empty() && !hung_up_) {
      co_await (fetch() || hung_up_changed_.wait());
      if (!failure_) co_return failure_.error();
    }
    if (hung_up_) co_return Error(Code::kCancelled, "the session was ended");
    if (pieces_.empty()) co_return std::nullopt;
    client::OutputPiece piece = std::move(pieces_.front());
    pieces_.pop_front();
    co_return piece;
  }

  awaitable<Result<>> write(std::string bytes) override {
    if (!options_.input) co_return Ok();
    co_return co_await input_.write_all(std::move(bytes));
  }

  void close_input() override {
    options_.input = false;
    if (options_.tty) return;
    // The shim decides by `stdinOnce` whether this is the end of the container's input.
    input_.close();
    control_.close();
  }

  void resize(std::uint16_t width, std::uint16_t height) override {
    if (options_.tty) input_.resize(width, height);
  }

  const client::SessionEnd& end() const override { return end_; }

  void hang_up() override {
    hung_up_ = true;
    input_.close();
    control_.close();
    hung_up_changed_.notify_all();
  }

 private:
  /// Whether nobody was attached before.
  awaitable<Result<bool>> take_input() {
    CO_TRY_OK(control_.connect(run_.folder()));
    CO_TRY_OK(control_.send(std::string_view("attach\0", 7), {}));
    ShimControl::Answer answer = co_await control_.receive();
    if (answer.text.empty()) co_return Error(Code::kBadRequest, "the container has just ended");
    if (options_.input && !answer.fd.valid()) {
      co_return Error(Code::kBadRequest,
                      "the container's input was closed: with stdinOnce it ends with the first who "
                      "was attached");
    }
    input_.open(std::move(answer.fd));
    co_return answer.text == "first=1\n";
  }

  awaitable<void> fetch() {
    auto pieces = co_await log_->read_pieces();
    if (!pieces) {
      failure_ = pieces.error();
      co_return;
    }
    for (client::OutputPiece& piece : *pieces) pieces_.push_back(std::move(piece));
  }

  Executor loop_;
  Clock& clock_;
  ContainerRun run_;
  client::SessionOptions options_;
  ShimControl control_;
  Descriptor input_;  // with a terminal: its other side
  std::unique_ptr<LogFile> log_;
  std::deque<client::OutputPiece> pieces_;  // read and not yet given out
  Result<> failure_ = Ok();
  Notifier hung_up_changed_;
  bool hung_up_ = false;
  client::SessionEnd end_;
};

}  // namespace

awaitable<Result<std::unique_ptr<client::PodSession>>> attach_to(Executor loop, Clock& clock,
                                                                 ContainerRun run,
                                                                 client::SessionOptions options) {
  auto session = std::make_unique<AttachedSession>(loop, clock, std::move(run), std::move(options));
  CO_TRY_OK(co_await session->start());
  std::unique_ptr<client::PodSession> result = std::move(session);
  co_return result;
}

}  // namespace trainyard::node
