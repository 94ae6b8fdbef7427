#include "node/run/ready_folders.h"

#include "base/files/files.h"
#include "base/log.h"
#include "node/linux/spread_folders.h"
#include "node/run/ready_limits.h"
#include "node/volumes/payload_folder.h"

#include <algorithm>
#include <cstdio>

namespace trainyard::node {

ReadyFolders::ReadyFolders(Executor loop, Clock& clock, const Paths& paths)
    : clock_(clock), paths_(paths), there_(paths.ready_pods()), changed_(loop), tasks_(loop) {}

void ReadyFolders::start() {
  if (auto removed = remove_folder(paths_.ready_pods()); !removed) {
    log_warn("folders for pods not removed", {{"cause", removed.error().message()}});
  }
  if (make_folders(there_.pods(), 0700)) spread_folders(there_.pods());
  wait_until_ = clock_.now() + 20 * kCalm;
  tasks_.spawn("keep folders ready", keep_full());
}

awaitable<void> ReadyFolders::stop() {
  co_await tasks_.stop();
  ready_.clear();
  (void)remove_folder(paths_.ready_pods());
}

awaitable<void> ReadyFolders::keep_full() {
  while (true) {
    while (ready_.size() >= kReady) co_await changed_.wait();
    while (clock_.now() < wait_until_) co_await clock_.sleep_for(wait_until_ - clock_.now());
    if (auto made = make_one(); !made) {
      log_warn("no folder is kept ready", {{"cause", made.error().message()}});
      wait_until_ = clock_.now() + kLongPause;
    }
    co_await clock_.sleep_for(std::chrono::nanoseconds(0));
  }
}

Result<> ReadyFolders::make_one() {
  const std::string name = std::to_string(made_++);
  TRY_OK(make_folders(there_.pod(name), 0700));
  TRY_OK(make_folders(there_.containers(name), 0755));
  TRY_OK(write_file_unsynced(there_.identity(name), "", 0644));
  TRY_OK(write_file_unsynced(there_.hosts(name), "", 0644));
  TRY_OK(prepare_payload(there_.pod_volume(name, kAccountVolume), account_files()));
  ready_.push_back(there_.pod(name));
  return Ok();
}

Result<> ReadyFolders::make(const std::string& uid) {
  const std::filesystem::path folder = paths_.pod(uid);
  std::error_code failed;
  if (std::filesystem::exists(folder, failed)) return Ok();
  wait_until_ = std::max(wait_until_, clock_.now() + kCalm);
  changed_.notify_all();
  while (!ready_.empty()) {
    const std::filesystem::path one = std::move(ready_.front());
    ready_.pop_front();
    if (std::rename(one.c_str(), folder.c_str()) == 0) return Ok();
  }
  return make_folders(folder, 0700);
}

}  // namespace trainyard::node
