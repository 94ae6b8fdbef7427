#include "http/wire/websocket_frames.h"

#include <fmt/format.h>

namespace trainyard::http {
namespace {

constexpr std::uint64_t kMostPayload = 4U << 20U;
constexpr std::uint8_t kLast = 0x80;
constexpr std::uint8_t kReserved = 0x70;
constexpr std::uint8_t kMasked = 0x80;
constexpr std::uint8_t kShortLength = 125;  // above: the length follows in 2 or 8 bytes
constexpr std::uint8_t kTwoBytes = 126;
constexpr std::uint8_t kEightBytes = 127;

bool is_known(std::uint8_t opcode) {
  return opcode <= 2 || (opcode >= 8 && opcode <= 10);
}

bool is_control(Opcode opcode) {
  return static_cast<std::uint8_t>(opcode) >= 8;
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

Error broken(std::string_view what) {
  return Error(Code::kBadRequest, fmt::format("the server sent a WebSocket frame {}", what));
}

}  // namespace

Result<std::optional<Frame>> FrameReader::next() {
  const std::optional<Frame> unfinished;
  if (bytes_.size() < 2) return unfinished;
  const auto first = static_cast<std::uint8_t>(bytes_[0]);
  const auto second = static_cast<std::uint8_t>(bytes_[1]);
  if ((first & kReserved) != 0) return broken("with bits that nobody agreed on");
  if (!is_known(first & 0x0FU)) return broken("of a kind that does not exist");
  if ((second & kMasked) != 0) return broken("with a mask");
  Frame frame;
  frame.opcode = static_cast<Opcode>(first & 0x0FU);
  frame.last = (first & kLast) != 0;
  if (is_control(frame.opcode) && (!frame.last || second > kShortLength)) {
    return broken("of control that is not short and whole");
  }
  const std::size_t more = second == kTwoBytes ? 2 : (second == kEightBytes ? 8 : 0);
  const std::size_t begin = 2 + more;
  if (bytes_.size() < begin) return unfinished;
  const std::uint64_t length =
      more == 0 ? second : big_endian(std::string_view(bytes_).substr(2, more));
  if (length > kMostPayload) {
    return Error(Code::kTooLarge, "the server sent a WebSocket frame of more than 4 MiB");
  }
  if (bytes_.size() - begin < length) return unfinished;
  frame.payload = bytes_.substr(begin, length);
  bytes_.erase(0, begin + length);
  return std::optional(std::move(frame));
}

std::string client_frame(Opcode opcode, std::string_view payload,
                         std::array<unsigned char, 4> mask) {
  std::string frame;
  frame += static_cast<char>(kLast | static_cast<std::uint8_t>(opcode));
  const std::uint64_t length = payload.size();
  const int more = length <= kShortLength ? 0 : (length <= 0xFFFF ? 2 : 8);
  const std::uint8_t size =
      more == 0 ? static_cast<std::uint8_t>(length) : (more == 2 ? kTwoBytes : kEightBytes);
  frame += static_cast<char>(kMasked | size);
  for (int shift = (more - 1) * 8; shift >= 0; shift -= 8) {
    frame += static_cast<char>(length >> static_cast<unsigned>(shift) & 0xFFU);
  }
  frame.append(mask.begin(), mask.end());
  for (std::size_t i = 0; i < payload.size(); ++i) {
    frame += static_cast<char>(static_cast<unsigned char>(payload[i]) ^ mask[i % mask.size()]);
  }
  return frame;
}

}  // namespace trainyard::http
