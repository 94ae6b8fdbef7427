#pragma once

#include "base/async.h"
#include "base/result.h"
#include "http/websocket.h"

#include <string>
#include <string_view>

/// What a command in a container writes, as exec and attach send it.
namespace trainyard::cli {

inline constexpr const char* kSessionProtocol = "v5.channel.k8s.io";

/// How a command ended, of the Status that is its last message; 255: it could not be run.
int exit_code_of(std::string_view status);

/// What such a Status says of a command that could not be run; empty of one that was.
std::string why_not_run(std::string_view status);

/// Passes on what the command writes until it has ended, and returns its exit code.
awaitable<Result<int>> print_output(http::WebSocket& socket);

}  // namespace trainyard::cli
