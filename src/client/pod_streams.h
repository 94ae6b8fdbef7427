#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"
#include "object/metadata.h"

#include <memory>
#include <optional>
#include <string>

namespace trainyard::client {

/// Bytes that arrive over time.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// The next bytes as they come; an empty string is the end.
  virtual awaitable<Result<std::string>> read() = 0;
};

struct LogOptions {
  std::string container;  // empty: the only one
  bool follow = false;
  bool previous = false;  // of the run before the last restart
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines;
  std::optional<WallTime> since;
  std::optional<std::int64_t> limit_bytes;
};

/// What flows out of a running pod. The node serves it; the server passes it on.
class PodStreams {
 public:
  virtual ~PodStreams() = default;
  /// A follower gets every byte once and ends when the container has ended.
  virtual awaitable<Result<std::unique_ptr<ByteStream>>> open_log(Key pod, LogOptions options) = 0;
};

}  // namespace trainyard::client
