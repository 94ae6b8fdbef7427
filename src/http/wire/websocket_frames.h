#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The frames of RFC 6455 as a client reads and writes them. No I/O.
namespace trainyard::http {

enum class Opcode : std::uint8_t {
  kContinuation = 0,
  kText = 1,
  kBinary = 2,
  kClose = 8,
  kPing = 9,
  kPong = 10,
};

struct Frame {
  Opcode opcode = Opcode::kText;
  bool last = true;  // of its message
  std::string payload;
};

/// Finds the frames in what a server sends, however it is cut.
class FrameReader {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  /// Nothing: more bytes are needed. kBadRequest for what a server may not send, kTooLarge for a
  /// frame of more than 4 MiB; nothing is to be had after either.
  Result<std::optional<Frame>> next();

 private:
  std::string bytes_;
};

/// One frame from a client, which masks what it sends so that nothing between takes it for HTTP.
std::string client_frame(Opcode opcode, std::string_view payload,
                         std::array<unsigned char, 4> mask);

}  // namespace trainyard::http
