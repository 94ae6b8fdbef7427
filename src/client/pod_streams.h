#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"
#include "object/json.h"
#include "object/metadata.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::client {

/// Bytes that arrive over time.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// The next bytes as they come; an empty string is the end.
  virtual awaitable<Result<std::string>> read() = 0;
};

enum class OutputStream : std::uint8_t { kOut, kErr };

struct LogOptions {
  std::string container;  // empty: the only one
  bool follow = false;
  bool previous = false;  // of the run before the last restart
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines;
  std::optional<WallTime> since;
  std::optional<std::int64_t> limit_bytes;
  std::optional<OutputStream> stream;  // only that one
  // Of our own server; others do not know these, and give the log that there is.
  std::string pod_uid;     // of this pod, although another may have taken its name
  std::optional<int> run;  // 0 is the container's first, n the one after its n-th restart
};

/// A pod that is gone, and whose logs are kept.
struct KeptLog {
  Key pod;
  std::string uid;
  Json labels;
  WallTime kept;  // when it went
};

/// What flows out of a pod. The node serves it; the server passes it on.
class PodStreams {
 public:
  virtual ~PodStreams() = default;
  /// A follower gets every byte once and ends when the container has ended. Of a pod that is gone,
  /// what is kept.
  virtual awaitable<Result<std::unique_ptr<ByteStream>>> open_log(Key pod, LogOptions options) = 0;
  /// Whose logs are kept in a namespace, oldest first.
  virtual awaitable<Result<std::vector<KeptLog>>> kept_logs(std::string ns) = 0;
};

}  // namespace trainyard::client
