#pragma once

#include "client/pod_sessions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::server {

// exec and attach over a WebSocket, as kubectl speaks it: v4.channel.k8s.io and v5.channel.k8s.io.
// The first byte of each message says which stream the others belong to. A browser takes whatever
// comes, however much: pages speak v5 with kTaken beside, by which they say how much they have
// shown.

enum class Channel : unsigned char {
  kStdin = 0,
  kStdout = 1,
  kStderr = 2,
  kError = 3,    // how it ended: a Status, as the last message
  kResize = 4,   // {"Width":80,"Height":24}
  kTaken = 5,    // of kCountedProtocol only: so many bytes of output were shown, in decimal
  kClose = 255,  // v5: the stream that the next byte names is at its end
};

inline constexpr const char* kCountedProtocol = "v5.channel.trainyard.dev";

/// The newest of the offered subprotocols that is spoken here; nothing when none is.
std::optional<std::string> choose_subprotocol(std::string_view offered);

std::string channel_message(Channel channel, std::string_view bytes);

struct TerminalSize {
  std::uint16_t width = 0;
  std::uint16_t height = 0;
};
/// Nothing when it is not one.
std::optional<TerminalSize> parse_size(std::string_view json);

/// How many bytes a kTaken message speaks of; 0 when it is none.
std::size_t parse_taken(std::string_view text);

/// The Status from which kubectl takes its own exit code.
std::string end_status(const client::SessionEnd& end);

}  // namespace trainyard::server
