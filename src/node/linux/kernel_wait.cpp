#include "node/linux/kernel_wait.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

/// How calls are told: `verb` stands before what the descriptor is.
struct Call {
  long number;
  WaitKind kind;
  const char* words;
  bool has_descriptor = false;  // its first argument
  bool polls = false;           // its first argument points to descriptors
};

// Processors differ in which of these they have.
constexpr std::array kCalls = {
    Call{SYS_read, WaitKind::kFile, "reading", true},
    Call{SYS_readv, WaitKind::kFile, "reading", true},
    Call{SYS_pread64, WaitKind::kFile, "reading", true},
    Call{SYS_write, WaitKind::kFile, "writing", true},
    Call{SYS_writev, WaitKind::kFile, "writing", true},
    Call{SYS_pwrite64, WaitKind::kFile, "writing", true},
    Call{SYS_recvfrom, WaitKind::kSocket, "recv", true},
    Call{SYS_recvmsg, WaitKind::kSocket, "recv", true},
    Call{SYS_sendto, WaitKind::kSocket, "send", true},
    Call{SYS_sendmsg, WaitKind::kSocket, "send", true},
    Call{SYS_accept4, WaitKind::kSocket, "accept", true},
    Call{SYS_accept, WaitKind::kSocket, "accept", true},
    Call{SYS_connect, WaitKind::kSocket, "connect", true},
    Call{SYS_futex, WaitKind::kLock, "waits for another thread (futex)"},
    Call{SYS_nanosleep, WaitKind::kSleeps, "sleeps"},
    Call{SYS_clock_nanosleep, WaitKind::kSleeps, "sleeps"},
    Call{SYS_openat, WaitKind::kFile, "is blocked opening a file"},
    Call{SYS_wait4, WaitKind::kChild, "waits for a child process"},
    Call{SYS_waitid, WaitKind::kChild, "waits for a child process"},
    Call{SYS_flock, WaitKind::kFile, "waits for a file lock"},
    Call{SYS_fcntl, WaitKind::kFile, "waits for a file lock"},
    Call{SYS_fsync, WaitKind::kFile, "waits until a file is on disk"},
    Call{SYS_fdatasync, WaitKind::kFile, "waits until a file is on disk"},
    Call{SYS_rt_sigtimedwait, WaitKind::kOther, "waits for a signal"},
    Call{SYS_ppoll, WaitKind::kPoll, "waits in poll", false, true},
    Call{SYS_pselect6, WaitKind::kPoll, "waits in select"},
    Call{SYS_epoll_pwait, WaitKind::kPoll, "waits in epoll"},
#ifdef SYS_poll
    Call{SYS_poll, WaitKind::kPoll, "waits in poll", false, true},
    Call{SYS_select, WaitKind::kPoll, "waits in select"},
    Call{SYS_epoll_wait, WaitKind::kPoll, "waits in epoll"},
    Call{SYS_open, WaitKind::kFile, "is blocked opening a file"},
    Call{SYS_pause, WaitKind::kOther, "waits for a signal"},
#endif
};

const Call* find_call(const KernelWait& wait) {
  if (!wait.call) return nullptr;
  const auto* const found = std::find_if(
      kCalls.begin(), kCalls.end(), [&](const Call& call) { return call.number == *wait.call; });
  return found == kCalls.end() ? nullptr : found;
}

/// Where the call is not told, the kernel's function may be.
struct Place {
  const char* part;
  WaitKind kind;
  const char* words;
};
constexpr std::array kPlaces = {
    Place{"futex", WaitKind::kLock, "waits for another thread (futex)"},
    Place{"nanosleep", WaitKind::kSleeps, "sleeps"},
    Place{"pipe_read", WaitKind::kPipe, "is blocked reading a pipe"},
    Place{"pipe_write", WaitKind::kPipe, "is blocked writing to a pipe that is full"},
    Place{"wait_for_partner", WaitKind::kPipe, "is blocked opening a FIFO"},
    Place{"fifo_open", WaitKind::kPipe, "is blocked opening a FIFO"},
    Place{"epoll", WaitKind::kPoll, "waits in epoll"},
    Place{"poll", WaitKind::kPoll, "waits in poll"},
    Place{"select", WaitKind::kPoll, "waits in select"},
    Place{"wait_woken", WaitKind::kSocket, "waits for a socket"},
    Place{"sk_wait", WaitKind::kSocket, "waits for a socket"},
    Place{"inet_csk_accept", WaitKind::kSocket, "waits for a connection"},
    Place{"do_wait", WaitKind::kChild, "waits for a child process"},
    Place{"nfs", WaitKind::kDisk, "waits for NFS"},
};

const Place* find_place(const std::string& name) {
  if (name.empty()) return nullptr;
  const auto* const found = std::find_if(kPlaces.begin(), kPlaces.end(), [&](const Place& place) {
    return name.find(place.part) != std::string::npos;
  });
  return found == kPlaces.end() ? nullptr : found;
}

/// "a socket to 10.0.0.1:80", "a pipe", "the FIFO /x", "/x"; empty: not known.
std::string target_words(const KernelWait& wait) {
  if (wait.target.starts_with("socket:")) {
    return wait.peer.empty() ? "a socket" : "a socket to " + wait.peer;
  }
  if (wait.target.starts_with("pipe:")) return "a pipe";
  if (wait.is_fifo) return "the FIFO " + wait.target;
  return wait.target;
}

std::string call_words(const Call& call, const KernelWait& wait) {
  const std::string target = target_words(wait);
  if (call.polls) return target.empty() ? call.words : fmt::format("{} on {}", call.words, target);
  if (!call.has_descriptor) return call.words;
  const bool writes = std::string_view(call.words) == "writing";
  if (call.kind == WaitKind::kSocket) {
    return fmt::format("waits in {} on {}", call.words, target.empty() ? "a socket" : target);
  }
  if (wait.target.starts_with("socket:")) {
    return fmt::format("waits in {} on {}", writes ? "write" : "read", target);
  }
  return fmt::format("is blocked {}{} {}{}", call.words, writes ? " to" : "",
                     target.empty() ? "a file" : target,
                     writes && kind_of(wait) == WaitKind::kPipe ? ", which is full" : "");
}

std::string disk_words(const KernelWait& wait) {
  const std::string target = target_words(wait);
  const std::string in = wait.place.empty() ? "" : fmt::format(" (in {})", wait.place);
  if (target.empty()) return "is blocked in the kernel, uninterruptibly" + in;
  return fmt::format("is blocked in the kernel, uninterruptibly, with {}{}", target, in);
}

std::optional<std::uint64_t> hex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (parsed.ec != std::errc()) return std::nullopt;
  return value;
}

/// The first descriptor that a poll is about: a list of them is in the process's memory.
std::optional<int> polled(const fs::path& process, std::uint64_t address, std::uint64_t count) {
  if (count == 0 || address == 0) return std::nullopt;
  const UniqueFd memory(::open((process / "mem").c_str(), O_RDONLY | O_CLOEXEC));
  pollfd first{};
  if (!memory.valid() ||
      ::pread(memory.get(), &first, sizeof first, static_cast<off_t>(address)) != sizeof first) {
    return std::nullopt;
  }
  return first.fd;
}

void look_at_target(const fs::path& process, KernelWait& wait) {
  if (!wait.descriptor) return;
  const fs::path link = process / "fd" / std::to_string(*wait.descriptor);
  std::error_code gone;
  wait.target = fs::read_symlink(link, gone);
  struct stat status{};
  wait.is_fifo = wait.target.starts_with('/') && ::stat(link.c_str(), &status) == 0 &&
                 S_ISFIFO(status.st_mode);
  constexpr std::string_view kSocket = "socket:[";
  if (!wait.target.starts_with(kSocket)) return;
  const std::string inode =
      wait.target.substr(kSocket.size(), wait.target.size() - kSocket.size() - 1);
  for (const char* table : {"tcp", "tcp6"}) {
    const auto text = read_file(process / "net" / table);
    if (text && wait.peer.empty()) wait.peer = peer_in(*text, inode);
  }
}

/// An address as the kernel's tables write it: words of 32 bits, each in the machine's order.
std::string address_words(std::string_view digits) {
  if (digits.size() < 8) return {};
  const std::string_view v4 = digits.substr(digits.size() - 8);
  const auto word = hex(v4);
  const bool mapped = digits.size() == 8 || digits.substr(16, 8) == "FFFF0000";
  if (!word) return {};
  if (!mapped) return "an IPv6 address";
  in_addr address{};
  address.s_addr = static_cast<std::uint32_t>(*word);
  std::array<char, INET_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET, &address, text.data(), text.size()) != nullptr ? text.data() : "";
}

}  // namespace

std::string peer_in(std::string_view table, std::string_view inode) {
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    std::istringstream line{std::string(table.substr(0, end))};
    table.remove_prefix(std::min(end + 1, table.size()));
    std::string number;
    std::string local;
    std::string remote;
    std::string skipped;
    std::string found;
    line >> number >> local >> remote;
    for (int i = 3; i < 9; ++i) line >> skipped;  // state, queues, timer, retransmits, uid, timeout
    line >> found;
    if (line.fail() || found != inode) continue;
    const std::size_t colon = remote.find(':');
    if (colon == std::string::npos) return {};
    const auto port = hex(std::string_view(remote).substr(colon + 1));
    if (!port || *port == 0) return {};
    return fmt::format("{}:{}", address_words(std::string_view(remote).substr(0, colon)), *port);
  }
  return {};
}

WaitKind kind_of(const KernelWait& wait) {
  if (wait.state == 'R') return WaitKind::kRuns;
  if (wait.state == 'T' || wait.state == 't') return WaitKind::kIsStopped;
  if (wait.state == 'D') return WaitKind::kDisk;
  const Place* place = find_place(wait.place);
  const bool pipe = wait.target.starts_with("pipe:") || wait.is_fifo ||
                    (place != nullptr && place->kind == WaitKind::kPipe);
  if (const Call* call = find_call(wait)) {
    if (call->kind != WaitKind::kFile) return call->kind;
    if (wait.target.starts_with("socket:")) return WaitKind::kSocket;
    return pipe ? WaitKind::kPipe : WaitKind::kFile;
  }
  return place == nullptr ? WaitKind::kOther : place->kind;
}

std::string words_for(const KernelWait& wait) {
  switch (wait.state) {
    case 'R':
      return "runs on the CPU";
    case 'T':
      return "is stopped (SIGSTOP)";
    case 't':
      return "is stopped by a debugger";
    case 'Z':
    case 'X':
      return "has ended";
    case 'D':
      return disk_words(wait);
    default:
      break;
  }
  const Place* place = find_place(wait.place);
  const Call* call = find_call(wait);
  const bool opens = call != nullptr && !call->has_descriptor && call->kind == WaitKind::kFile;
  if (opens && place != nullptr && place->kind == WaitKind::kPipe) return place->words;
  if (call != nullptr) return call_words(*call, wait);
  if (place != nullptr) return place->words;
  if (!wait.place.empty()) return fmt::format("waits in the kernel ({})", wait.place);
  if (wait.call) return fmt::format("waits in system call {}", *wait.call);
  return "waits";
}

KernelWait look_at_wait(const fs::path& proc, int pid, char state, bool details) {
  const fs::path process = proc / std::to_string(pid);
  KernelWait wait;
  wait.state = state;
  if (state == 'R') return wait;
  // "NUMBER ARGUMENT … STACK INSTRUCTION", "-1 …" outside of calls, or "running".
  if (const auto text = read_file(process / "syscall")) {
    std::istringstream words(*text);
    long number = -1;
    std::string first;
    std::string second;
    words >> number >> first >> second;
    if (!words.fail() && number >= 0) {
      wait.call = number;
      const Call* call = find_call(wait);
      if (call != nullptr && call->has_descriptor) {
        if (const auto value = hex(first)) wait.descriptor = static_cast<int>(*value);
      }
      if (details && call != nullptr && call->polls) {
        wait.descriptor = polled(process, hex(first).value_or(0), hex(second).value_or(0));
      }
    }
  }
  if (!details && wait.call && !wait.descriptor) return wait;
  if (const auto place = read_file(process / "wchan"); place && *place != "0") wait.place = *place;
  if (details) look_at_target(process, wait);
  return wait;
}

}  // namespace trainyard::node
