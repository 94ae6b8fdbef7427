#pragma once

#include "base/async.h"
#include "base/files/unique_fd.h"
#include "base/result.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::node {

/// A connection to the shim of a running container, through DIR/control. src/shim/README.md says
/// what is spoken there. Closing it ends what was asked for.
class ShimControl {
 public:
  explicit ShimControl(const Executor& loop) : socket_(loop) {}

  /// kBadRequest when no shim listens: the container has ended, or is older than this feature.
  Result<> connect(const std::filesystem::path& run_folder);
  Result<> send(std::string_view request, const std::vector<int>& fds);

  struct Answer {
    std::string text;  // empty: the shim has gone
    UniqueFd fd;
  };
  awaitable<Answer> receive();
  bool is_open() const { return socket_.is_open(); }
  void close();

 private:
  boost::asio::posix::stream_descriptor socket_;
};

}  // namespace trainyard::node
