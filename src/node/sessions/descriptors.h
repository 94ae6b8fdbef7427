#pragma once

#include "base/async.h"
#include "base/files/unique_fd.h"
#include "base/notifier.h"
#include "base/result.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <string>

namespace trainyard::node {

/// Our end of a pipe or of a terminal, on the loop. One that is not open is as good as one that
/// never has anything to read.
class Descriptor {
 public:
  explicit Descriptor(const Executor& loop) : descriptor_(loop), never_(loop) {}

  /// Takes `fd`, which may be invalid: then it stays closed.
  void open(UniqueFd fd);
  bool is_open() const { return descriptor_.is_open(); }
  void close();

  /// What is there now, at most a piece; closes itself at the end.
  std::string read_some();
  awaitable<void> wait_readable();
  /// Ok also when the other side no longer reads: the bytes are dropped then.
  awaitable<Result<>> write_all(std::string bytes);
  void resize(std::uint16_t width, std::uint16_t height);

 private:
  boost::asio::posix::stream_descriptor descriptor_;
  Notifier never_;
};

}  // namespace trainyard::node
