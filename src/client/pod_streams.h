#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"
#include "object/json/json.h"
#include "object/values/metadata.h"

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
  std::optional<std::int64_t> from_line;  // by its number, which is that of the whole log
};

/// Which lines of a log there are, by their numbers from 1 on: those before `kept` are no longer
/// kept.
struct LogExtent {
  std::int64_t kept = 1;
  std::int64_t last = 0;
};

/// Which lines are wanted: from one to another, or only the number of the first that is not older
/// than a time.
struct LineRange {
  std::int64_t from = 1;
  std::int64_t to = 0;
  std::optional<WallTime> at{};
};

/// Whole lines. Fewer than were wanted where they are too long for one answer.
struct LogLines {
  std::int64_t first = 1;  // the number of the first one, or of the one that was looked for
  std::string text;
  LogExtent extent;
};

struct LogQuestion {
  std::string text;
  bool regex = false;
  bool match_case = false;
  std::int64_t from = 1;      // the line to begin with
  std::int64_t limit = 1000;  // hits that are named; all are counted
  bool only_first = false;
};

struct LogFindings {
  struct Hit {
    std::int64_t line = 0;
    std::string time;
  };
  std::int64_t count = 0;  // lines that hold it, of those that were looked at
  std::vector<Hit> hits;
  std::int64_t next = 1;  // where to go on
  bool done = false;      // that was all there is by now
  LogExtent extent;
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
  /// A part of a log by the numbers of its lines. Only our own server has them.
  virtual awaitable<Result<LogLines>> read_lines(Key /*pod*/, LogOptions /*options*/,
                                                 LineRange /*range*/) {
    co_return Error(Code::kUnsupported, "this server does not number the lines of logs");
  }
  /// Which lines of a log hold what is looked for.
  virtual awaitable<Result<LogFindings>> find_lines(Key /*pod*/, LogOptions /*options*/,
                                                    LogQuestion /*question*/) {
    co_return Error(Code::kUnsupported, "this server does not search logs");
  }
  /// Whose logs are kept in a namespace, oldest first.
  virtual awaitable<Result<std::vector<KeptLog>>> kept_logs(std::string ns) = 0;
};

}  // namespace trainyard::client
