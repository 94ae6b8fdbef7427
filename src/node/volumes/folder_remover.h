#pragma once

#include "base/async.h"
#include "base/result.h"

#include <boost/asio/thread_pool.hpp>

#include <filesystem>

namespace trainyard::node {

/// Removes folders on a thread of its own: what jobs leave behind can be millions of files, and
/// the loop must not stand still for them.
class FolderRemover {
 public:
  /// rm -rf, also of what is mounted in it; returns when it is done.
  awaitable<Result<>> remove(std::filesystem::path folder);
  /// The same for what nobody waits for; a failure is logged. What is not done when this goes is
  /// left.
  void remove_later(std::filesystem::path folder);

 private:
  boost::asio::thread_pool thread_{1};
};

}  // namespace trainyard::node
