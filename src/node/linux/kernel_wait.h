#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::node {

/// What a thread was seen doing, as the kernel tells it.
struct KernelWait {
  char state = '?';               // as in /proc/PID/stat
  std::optional<long> call;       // the system call that it is in
  std::optional<int> descriptor;  // which that call is about
  std::string target;             // what that is: a path, "pipe:[77]", "socket:[12]"
  bool is_fifo = false;           // the target has a path, and is a FIFO
  std::string peer;               // of a socket: who is at its other end
  std::string place;              // the kernel's function; empty: not told
};

/// What that amounts to.
enum class WaitKind : unsigned char {
  kRuns,
  kSleeps,
  kLock,  // for another thread
  kPoll,  // for any of several descriptors
  kSocket,
  kPipe,
  kFile,
  kDisk,  // uninterruptibly
  kChild,
  kIsStopped,
  kOther
};

WaitKind kind_of(const KernelWait& wait);
/// "waits in recv on a socket to 127.64.0.3:29500", to be put behind "rank 3".
std::string words_for(const KernelWait& wait);

/// Looks at the main thread of a process. Cheap: what a call is about is only looked up with
/// `details`. Where the kernel does not let us see more than the state, the rest is empty.
KernelWait look_at_wait(const std::filesystem::path& proc, int pid, char state, bool details);

/// The other end of the TCP connection with that inode, from the text of /proc/PID/net/tcp or tcp6;
/// empty when it is not there or listens.
std::string peer_in(std::string_view table, std::string_view inode);

}  // namespace trainyard::node
