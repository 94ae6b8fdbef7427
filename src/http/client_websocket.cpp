#include "http/client_websocket.h"

#include "base/crypto/ids.h"
#include "http/wire/websocket_frames.h"

#include <openssl/rand.h>

#include <utility>

namespace trainyard::http {
namespace {

constexpr std::size_t kMostMessage = 4U << 20U;

std::array<unsigned char, 4> fresh_mask() {
  std::array<unsigned char, 4> mask{};
  RAND_bytes(mask.data(), static_cast<int>(mask.size()));
  return mask;
}

class TunnelWebSocket final : public WebSocket {
 public:
  explicit TunnelWebSocket(std::unique_ptr<Tunnel> tunnel) : tunnel_(std::move(tunnel)) {}

  awaitable<Result<Message>> read() override {
    Message message;
    while (true) {
      CO_TRY(Frame frame, co_await next_frame());
      if (frame.opcode == Opcode::kClose) {
        co_return Error(Code::kCancelled, "WebSocket closed: the server is done");
      }
      if (frame.opcode == Opcode::kPong) continue;
      if (frame.opcode == Opcode::kPing) {
        CO_TRY_OK(co_await send(Opcode::kPong, std::move(frame.payload)));
        continue;
      }
      if (frame.opcode != Opcode::kContinuation) message.binary = frame.opcode == Opcode::kBinary;
      message.data += frame.payload;
      if (message.data.size() > kMostMessage) {
        co_return Error(Code::kTooLarge, "WebSocket message of more than 4 MiB");
      }
      if (frame.last) co_return message;
    }
  }

  awaitable<Result<>> write(Message message) override {
    const Opcode opcode = message.binary ? Opcode::kBinary : Opcode::kText;
    co_return co_await send(opcode, std::move(message.data));
  }

  awaitable<void> close() override {
    // Fails when the other side was faster; closed it is in any case.
    (void)co_await send(Opcode::kClose, std::string("\x03\xE8", 2));
  }

 private:
  awaitable<Result<Frame>> next_frame() {
    while (true) {
      CO_TRY(std::optional<Frame> frame, frames_.next());
      if (frame) co_return *std::move(frame);
      CO_TRY(const std::string bytes, co_await tunnel_->read());
      if (bytes.empty()) co_return Error(Code::kCancelled, "WebSocket closed: connection lost");
      frames_.add(bytes);
    }
  }

  /// An answer to a ping may come between: what is under way takes it along.
  awaitable<Result<>> send(Opcode opcode, std::string payload) {
    output_ += client_frame(opcode, payload, fresh_mask());
    if (std::exchange(sending_, true)) co_return Ok();
    Result<> sent = Ok();
    while (sent && !output_.empty()) {
      sent = co_await tunnel_->write(std::exchange(output_, {}));
    }
    sending_ = false;
    co_return sent;
  }

  std::unique_ptr<Tunnel> tunnel_;
  FrameReader frames_;
  std::string output_;
  bool sending_ = false;
};

}  // namespace

void ask_for_websocket(Headers& headers, const std::string& subprotocol) {
  headers.add("Upgrade", "websocket");
  headers.add("Sec-WebSocket-Version", "13");
  headers.add("Sec-WebSocket-Key", base64_encode(random_hex(8)));
  if (!subprotocol.empty()) headers.add("Sec-WebSocket-Protocol", subprotocol);
}

std::unique_ptr<WebSocket> join_websocket(std::unique_ptr<Tunnel> tunnel) {
  return std::make_unique<TunnelWebSocket>(std::move(tunnel));
}

}  // namespace trainyard::http
