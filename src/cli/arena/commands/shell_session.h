#pragma once

#include "client/remote/remote_api.h"

#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// A command in a container that this terminal talks to.
struct ShellCommand {
  Key pod;
  std::string container;
  std::vector<std::string> words;
  bool terminal = true;  // of its own, in the container
};

/// The path and query that run it. Pure.
std::string shell_target(const ShellCommand& command);

/// Passes standard input on and prints what comes back, until the command has ended. Its exit code.
awaitable<Result<int>> talk_to_shell(client::RemoteApi& api, Executor loop, ShellCommand command);

/// The terminal of standard input without echo and line editing, for as long as this lives: the
/// other side does both.
class RawTerminal {
 public:
  explicit RawTerminal(bool wanted);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  std::string before_;  // its settings, to be put back; empty: untouched
};

}  // namespace trainyard::cli::arena
