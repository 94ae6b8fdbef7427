#include "node/network/hosts.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "base/log.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

constexpr auto kGather = 30ms;  // for what comes together
/// With very many pods the files are many and long: then they may lag behind a little, and take no
/// more than this part of the time.
constexpr int kRest = 20;
constexpr std::chrono::nanoseconds kLongestRest = 5s;
constexpr std::size_t kBytesAtOnce = 1 << 20;  // before others get their turn

/// In place: the file is mounted into containers, and a new file under the old name would not be.
Result<> overwrite(const std::filesystem::path& path, const std::string& text, int flags) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0644));
  if (!fd.valid()) return io_error("writing", path, errno);
  if (::pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(fd.get(), static_cast<off_t>(text.size())) != 0) {
    return io_error("writing", path, errno);
  }
  return Ok();
}

}  // namespace

Hosts::Hosts(Executor loop, Clock& clock, const Paths& paths, Network& network)
    : clock_(clock), paths_(paths), network_(network), changed_(loop) {
  network_.on_change([this] {
    dirty_ = true;
    changed_.notify_all();
  });
}

Result<> Hosts::add(const std::string& uid) {
  const std::filesystem::path file = paths_.hosts(uid);
  // A running container uses it; a server that has just come back may not yet know all names.
  std::error_code missing;
  if (std::filesystem::file_size(file, missing) > 0 && !missing) {
    written_[uid] = 0;
    dirty_ = true;
    changed_.notify_all();
    return Ok();
  }
  HostsText texts(network_);
  TRY_OK(make_folders(paths_.pod(uid), 0755));
  TRY_OK(overwrite(file, texts.of(uid), O_CREAT));
  written_[uid] = texts.hash_of(uid);
  return Ok();
}

awaitable<void> Hosts::run() {
  while (true) {
    while (!dirty_) co_await changed_.wait();
    co_await clock_.sleep_for(kGather);
    const TimePoint begin = clock_.now();
    co_await write_changed();
    const std::chrono::nanoseconds took = clock_.now() - begin;
    co_await clock_.sleep_for(std::min(took * kRest, kLongestRest));
  }
}

awaitable<void> Hosts::write_changed() {
  dirty_ = false;
  HostsText texts(network_);
  std::size_t bytes = 0;
  for (const std::string& uid : in_turn()) {
    last_ = uid;
    bytes += write_one(uid, texts);
    if (bytes < kBytesAtOnce) continue;
    bytes = 0;
    co_await clock_.sleep_for(0ns);
    // The texts are out of date: next time it goes on with those that are left.
    if (dirty_) co_return;
  }
}

/// All whose files are kept, those first that have waited longest.
std::vector<std::string> Hosts::in_turn() const {
  std::vector<std::string> uids;
  const auto middle = written_.upper_bound(last_);
  for (auto file = middle; file != written_.end(); ++file) uids.push_back(file->first);
  for (auto file = written_.begin(); file != middle; ++file) uids.push_back(file->first);
  return uids;
}

std::size_t Hosts::write_one(const std::string& uid, HostsText& texts) {
  const auto known = written_.find(uid);
  if (known == written_.end()) return 0;  // gone meanwhile
  const std::uint64_t hash = texts.hash_of(uid);
  if (hash == known->second) return 0;
  const std::string text = texts.of(uid);
  if (auto written = overwrite(paths_.hosts(uid), text, 0); !written) {
    log_warn("hosts file not updated", {{"cause", written.error().message()}});
    return text.size();
  }
  known->second = hash;
  return text.size();
}

}  // namespace trainyard::node
