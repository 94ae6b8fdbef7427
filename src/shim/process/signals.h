#pragma once

#include "shim/files.h"

#include <cstdint>

namespace trainyard::shim {

/// Blocks every signal: the shim hears those it wants through a SignalReader, and the others never
/// interrupt it. (Blocked signals also reach a PID 1, which otherwise ignores all without a
/// handler.)
void block_signals();
void unblock_signals();
/// The server may ignore some, and that is inherited.
void default_signals();

/// SIGTERM and SIGCHLD as a file descriptor to poll.
class SignalReader {
 public:
  SignalReader();
  int fd() const { return fd_.get(); }
  bool valid() const { return fd_.valid(); }

  struct Signal {
    int number = 0;
    std::uint32_t sender = 0;  // 0: from outside this PID namespace
  };
  /// The next one that waits; number 0 when none does.
  Signal next();

 private:
  Fd fd_;
};

}  // namespace trainyard::shim
