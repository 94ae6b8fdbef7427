#pragma once

#include "base/async.h"
#include "base/result.h"
#include "client/pod_streams.h"
#include "object/values/metadata.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::client {

/// What a caller wants to do with a container.
struct SessionOptions {
  std::string container;  // empty: the only one
  bool input = false;
  bool output = false;
  bool errors = false;
  bool tty = false;
};

/// How a command ended.
struct SessionEnd {
  std::int64_t exit_code = 0;
  std::string message;  // why it could not be run, or ended early; for people
};

struct OutputPiece {
  OutputStream stream = OutputStream::kOut;
  std::string bytes;
};

/// A command that runs in a container, or its main process, as seen by whoever talks to it. read()
/// and write() may be awaited at the same time, each once. A command ends with the object.
class PodSession {
 public:
  virtual ~PodSession() = default;
  /// The next output as it comes; nothing when there will be no more, and end() says how it went.
  virtual awaitable<Result<std::optional<OutputPiece>>> read() = 0;
  /// Returns when the bytes were taken. Bytes for a program that no longer reads are dropped.
  virtual awaitable<Result<>> write(std::string bytes) = 0;
  virtual void close_input() = 0;
  virtual void resize(std::uint16_t width, std::uint16_t height) = 0;
  virtual const SessionEnd& end() const = 0;
  /// Ends it: a read() under way returns kCancelled.
  virtual void hang_up() = 0;
};

/// Commands in containers. The node runs them; the server brings them to their users.
class PodSessions {
 public:
  virtual ~PodSessions() = default;
  /// kBadRequest when the container is unknown, ambiguous, or does not run.
  virtual awaitable<Result<std::unique_ptr<PodSession>>> exec(Key pod, SessionOptions options,
                                                              std::vector<std::string> command) = 0;
  virtual awaitable<Result<std::unique_ptr<PodSession>>> attach(Key pod,
                                                                SessionOptions options) = 0;
  /// Ok when exec(), or attach(), would find its container with what is asked of it.
  virtual awaitable<Result<>> check(Key pod, SessionOptions options, bool attach) = 0;
};

}  // namespace trainyard::client
