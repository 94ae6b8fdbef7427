#pragma once

#include "shim/failure.h"
#include "shim/log_segments.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::shim {

/// A private writable layer over a tree: three absolute folders that the server made.
struct Overlay {
  std::string upper;
  std::string work;
  std::string merged;
  std::string lower = "/";  // the tree; unless it is the host's root, nothing else of that is seen

  bool is_over_host() const { return lower == "/"; }
};

/// A host file or folder that the container sees at `target`.
struct Bind {
  bool read_only = false;
  std::string source;
  std::string target;
  std::string sub_path = {};  // what of the source; never anything outside it
};

/// What a process is held to where there are no control groups: RLIMIT_NPROC, RLIMIT_DATA.
struct ProcessLimit {
  int resource = 0;
  std::uint64_t most = 0;
};

struct Tmpfs {
  std::uint64_t bytes = 0;  // 0: the kernel's default
  std::string target;
};

/// Whether the container has a stdin that somebody can attach to; kOnce: it ends with the first who
/// did.
enum class Input : std::uint8_t { kNone, kOpen, kOnce };

/// What DIR/spec asks for. README.md of this folder lists the keys.
struct Spec {
  std::vector<std::string> args;
  std::vector<std::string> env;  // the complete environment, "K=V"
  std::string cwd = "/";
  bool make_cwd = false;  // where it is missing
  std::string hostname;
  bool namespaces = true;
  std::optional<Overlay> root;
  std::vector<Bind> binds;
  std::vector<Tmpfs> tmpfs;
  std::vector<std::string> masks;
  std::vector<std::string> points;  // folders in which something will be mounted
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
  std::vector<std::uint32_t> groups;  // beside its own
  /// Which capabilities it keeps, one bit each; without it, all but those that lead out.
  std::optional<std::uint64_t> capabilities;
  bool read_only_root = false;
  bool own_devices = false;
  bool own_network = false;  // with nothing in it but its own loopback
  std::uint32_t grace_seconds = 30;
  std::vector<std::string> cgroups;  // folders of the control groups that it belongs to
  std::string oom_file;              // counts the processes that were killed for want of memory
  std::string memory_limit;          // as its owner wrote it
  std::vector<ProcessLimit> limits;
  Input input = Input::kNone;
  bool tty = false;  // stdin, stdout and stderr are a terminal
  LogSizes log;
};

/// Reads `key\0value\0…` into `spec`. Unknown keys are refused: leaving out what one does not
/// understand could run a job without its volume.
MaybeFailure parse_spec(std::string_view bytes, Spec& spec);
/// DIR/base, in which there is no command yet.
MaybeFailure parse_base(std::string_view bytes, Spec& spec);

/// A whole number without sign, spaces around it allowed (the server and people write DIR/grace).
std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace trainyard::shim
