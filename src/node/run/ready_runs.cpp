#include "node/run/ready_runs.h"

#include "base/files/files.h"
#include "base/log.h"
#include "node/linux/spread_folders.h"
#include "node/run/ready_limits.h"
#include "node/run/run_spec.h"
#include "node/run/shim_process.h"
#include "node/volumes/volume_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

/// What nearly every container has mounted: where a spec does not, its container would find an
/// empty folder there.
constexpr const char* kUsualMount = kAccountPath;

}  // namespace

ReadyRuns::ReadyRuns(Executor loop, Clock& clock, const Paths& paths, std::filesystem::path shim,
                     int life, std::vector<std::filesystem::path> masks)
    : clock_(clock),
      paths_(paths),
      shim_(std::move(shim)),
      life_(life),
      masks_(std::move(masks)),
      changed_(loop),
      tasks_(loop) {}

void ReadyRuns::start() {
  // Their shims have ended with the server before this one.
  if (auto removed = remove_folder(paths_.ready()); !removed) {
    log_warn("folders of earlier shims not removed", {{"cause", removed.error().message()}});
  }
  if (make_folders(paths_.ready(), 0700)) spread_folders(paths_.ready());
  wait_until_ = clock_.now() + 20 * kCalm;
  tasks_.spawn("keep shims ready", keep_full());
}

awaitable<void> ReadyRuns::stop() {
  co_await tasks_.stop();
  ready_.clear();
  // One that has only just begun may still write there.
  for (int tries = 0; tries < 50 && !remove_folder(paths_.ready()); ++tries) {
    co_await clock_.sleep_for(kCalm);
  }
}

awaitable<void> ReadyRuns::keep_full() {
  while (true) {
    while (ready_.size() >= kReady) co_await changed_.wait();
    while (clock_.now() < wait_until_) co_await clock_.sleep_for(wait_until_ - clock_.now());
    if (is_out_of_date()) drop_all();
    if (auto made = make_one(); !made) {
      log_warn("no shim is kept ready", {{"cause", made.error().message()}});
      wait_until_ = clock_.now() + kLongPause;
    }
    co_await clock_.sleep_for(0ns);
  }
}

Result<> ReadyRuns::make_one() {
  if (ready_.empty()) {
    mounts_ = UniqueFd(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
    if (!mounts_.valid()) return io_error("opening", "/proc/self/mountinfo", errno);
  }
  const std::filesystem::path folder = paths_.ready() / std::to_string(made_++);
  RunSpec base;
  base.working_dir = "/";
  base.own_devices = true;
  base.masks = masks_;
  base.overlay = folder / "overlay";
  base.mount_points = {kUsualMount};
  TRY(const std::string text, encode_run_spec(base));
  const std::filesystem::path run = folder / "0";
  TRY_OK(make_folders(run, 0700));
  TRY_OK(make_layers(base.overlay));
  TRY_OK(write_file_unsynced(run / "base", text, 0600));
  TRY_OK(make_termination_log(run));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("making a pipe for", run, errno);
  const UniqueFd wait_end(ends[0]);
  UniqueFd go(ends[1]);
  TRY(const UniqueFd lock, lock_for_shim(run));
  TRY_OK(spawn_shim(shim_, run, lock.get(), life_, wait_end.get()));
  ready_.push_back(Ready{folder, std::move(go)});
  return Ok();
}

bool ReadyRuns::suits(const RunSpec& spec) const {
  // Memory that is mounted for it on the host is not in the shim's table of mounts.
  const auto needs_mount = [](const Mount& mount) { return mount.in_memory && mount.make_source; };
  const auto is_usual = [](const Mount& mount) { return mount.target == kUsualMount; };
  return spec.own_devices && !spec.own_network && !spec.read_only_root && spec.root_tree.empty() &&
         spec.masks == masks_ && std::any_of(spec.mounts.begin(), spec.mounts.end(), is_usual) &&
         std::none_of(spec.mounts.begin(), spec.mounts.end(), needs_mount);
}

bool ReadyRuns::is_out_of_date() const {
  pollfd changed{mounts_.get(), POLLPRI, 0};
  return !ready_.empty() && ::poll(&changed, 1, 0) != 0;
}

void ReadyRuns::drop_all() {
  for (Ready& one : ready_) {
    one.go.reset();
    (void)remove_folder(one.folder);
  }
  ready_.clear();
}

/// A folder in which the shim still makes its mounts must not be moved: it would lose them.
bool ReadyRuns::is_made(const Ready& one) {
  const std::filesystem::path run = one.folder / "0";
  std::error_code failed;
  return !std::filesystem::exists(run / "base", failed) || !shim_lives_in(run);
}

std::size_t ReadyRuns::size() const {
  return static_cast<std::size_t>(std::count_if(ready_.begin(), ready_.end(), is_made));
}

UniqueFd ReadyRuns::take(const std::filesystem::path& container, const RunSpec& spec) {
  if (ready_.empty() || !suits(spec)) return {};
  wait_until_ = std::max(wait_until_, clock_.now() + kCalm);
  changed_.notify_all();
  if (is_out_of_date()) {
    drop_all();
    return {};
  }
  const auto made = std::find_if(ready_.begin(), ready_.end(), is_made);
  if (made == ready_.end()) return {};
  Ready one = std::move(*made);
  ready_.erase(made);
  if (!shim_lives_in(one.folder / "0")) {
    // It could not be made, or somebody has killed it: what is wrong is told by who starts there.
    drop_all();
    (void)remove_folder(one.folder);
    wait_until_ = clock_.now() + kLongPause;
    return {};
  }
  if (!make_folders(container.parent_path(), 0755) ||
      std::rename(one.folder.c_str(), container.c_str()) != 0) {
    (void)remove_folder(one.folder);
    return {};
  }
  return std::move(one.go);
}

}  // namespace trainyard::node
