#pragma once

#include "shim/failure.h"
#include "shim/files.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::shim {

/// What the server asks for through DIR/control: one packet, `exec\0`, `attach\0` or `socket\0`,
/// then records as in DIR/spec. src/shim/README.md lists them.
struct Request {
  enum class Kind { kExec, kAttach, kSocket };
  Kind kind = Kind::kExec;
  std::vector<std::string> args;
  bool tty = false;
};

MaybeFailure parse_request(std::string_view bytes, Request& request);

/// The socket DIR/control, listening. Only whoever may enter DIR reaches it. Changes the working
/// folder: the path could be longer than a socket's may be.
Fd listen_for_requests(int dir);

/// One packet with the descriptors that came along.
struct Packet {
  std::string bytes;
  std::vector<Fd> fds;
};
enum class Received { kPacket, kNothingYet, kHangUp };
Received receive_packet(int connection, Packet& packet);

/// Best effort: who no longer listens has hung up. With `fd` >= 0 that descriptor goes along.
void send_packet(int connection, std::string_view bytes, int fd = -1);
void send_packet_with(int connection, std::string_view bytes, const std::vector<int>& fds);

}  // namespace trainyard::shim
