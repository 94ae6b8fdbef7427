#include "node/run/run_watcher.h"

#include "base/log.h"
#include "base/notifier.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/inotify.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;

/// What the server itself writes there, and what the shim writes all the time, is no news.
bool is_news(const inotify_event& event) {
  if (event.len == 0) return false;
  const std::string_view name = event.name;
  if ((event.mask & IN_CLOSE_WRITE) != 0) return name == "lock";
  return name == "pid" || name == "started" || name == "exit";
}

}  // namespace

RunWatcher::RunWatcher(Executor loop, Clock& clock) : clock_(clock), inotify_(loop), tasks_(loop) {
  const int inotify = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (inotify >= 0) {
    inotify_.assign(inotify);
  } else {
    log_warn("no inotify: containers are looked at each second",
             {{"cause", std::strerror(errno)},
              {"remedy", "raise the sysctl fs.inotify.max_user_instances"}});
  }
}

void RunWatcher::start() {
  if (inotify_.is_open()) tasks_.spawn("watch runs", read_events());
}

RunWatcher::Watch RunWatcher::watch(const std::filesystem::path& folder,
                                    std::function<void()> on_change) {
  Entry entry;
  entry.on_change = std::move(on_change);
  if (inotify_.is_open()) {
    entry.descriptor = ::inotify_add_watch(inotify_.native_handle(), folder.c_str(),
                                           IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR);
  }
  const std::uint64_t id = next_id_++;
  if (entry.descriptor >= 0) {
    by_descriptor_.emplace(entry.descriptor, id);
  } else if (!std::exchange(is_looking_, true)) {
    tasks_.spawn("look at runs", look_at_unwatched());
  }
  entries_.emplace(id, std::move(entry));
  return {*this, id};
}

void RunWatcher::remove(std::uint64_t id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  const int descriptor = found->second.descriptor;
  entries_.erase(found);
  if (descriptor < 0) return;
  const auto [first, last] = by_descriptor_.equal_range(descriptor);
  for (auto i = first; i != last; ++i) {
    if (i->second != id) continue;
    by_descriptor_.erase(i);
    break;
  }
  // It fails when the folder is gone already, and the watch with it.
  if (!by_descriptor_.contains(descriptor)) {
    ::inotify_rm_watch(inotify_.native_handle(), descriptor);
  }
}

/// Copies first: a listener may end its watch, or any other.
void RunWatcher::tell(int descriptor) {
  std::vector<std::uint64_t> ids;
  const auto [first, last] = by_descriptor_.equal_range(descriptor);
  for (auto i = first; i != last; ++i) ids.push_back(i->second);
  for (const std::uint64_t id : ids) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) continue;
    const std::function<void()> on_change = found->second.on_change;
    on_change();
  }
}

awaitable<void> RunWatcher::read_events() {
  alignas(inotify_event) std::array<char, 16384> buffer;
  while (true) {
    co_await inotify_.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    const ssize_t got = ::read(inotify_.native_handle(), buffer.data(), buffer.size());
    for (ssize_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      at += static_cast<ssize_t>(sizeof *event + event->len);
      if ((event->mask & IN_Q_OVERFLOW) != 0) {
        // Some news were lost: everybody looks.
        std::vector<int> all;
        for (const auto& [descriptor, id] : by_descriptor_) all.push_back(descriptor);
        for (const int descriptor : all) tell(descriptor);
      } else if (is_news(*event)) {
        tell(event->wd);
      }
    }
  }
}

awaitable<void> RunWatcher::look_at_unwatched() {
  while (true) {
    co_await clock_.sleep_for(std::chrono::seconds(1));
    std::vector<std::function<void()>> listeners;
    for (const auto& [id, entry] : entries_) {
      if (entry.descriptor < 0) listeners.push_back(entry.on_change);
    }
    for (const auto& on_change : listeners) on_change();
  }
}

RunWatcher::Watch::Watch(Watch&& other) noexcept
    : watcher_(std::exchange(other.watcher_, nullptr)), id_(other.id_) {}

RunWatcher::Watch& RunWatcher::Watch::operator=(Watch&& other) noexcept {
  if (this != &other) {
    reset();
    watcher_ = std::exchange(other.watcher_, nullptr);
    id_ = other.id_;
  }
  return *this;
}

void RunWatcher::Watch::reset() {
  if (watcher_ != nullptr) std::exchange(watcher_, nullptr)->remove(id_);
}

awaitable<void> follow(RunWatcher& watcher, Executor loop, ContainerRun run,
                       std::function<void()> on_change) {
  Notifier changed(loop);
  bool news = true;
  const RunWatcher::Watch watch = watcher.watch(run.folder(), [&] {
    news = true;
    changed.notify_all();
  });
  while (true) {
    while (!news) co_await changed.wait();
    news = false;
    on_change();
    if (!run.state().lives()) co_return;
  }
}

}  // namespace trainyard::node
