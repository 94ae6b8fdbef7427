#include "node/run/running_pods.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "node/config.h"
#include "node/limits/cgroups.h"
#include "node/run/container_run.h"
#include "node/run/shim_process.h"
#include "node/volumes/memory_folder.h"
#include "object/json/json.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <set>
#include <sys/file.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

struct RunningContainer {
  std::string uid;
  ContainerRun run;
};

/// The folders in a folder; none where it is not there.
std::vector<fs::path> subfolders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->is_directory(failure)) found.push_back(entry->path());
  }
  return found;
}

std::vector<RunningContainer> running_containers(const Paths& paths) {
  std::vector<RunningContainer> running;
  for (const fs::path& pod : subfolders(paths.pods())) {
    const std::string uid = pod.filename();
    for (const fs::path& container : subfolders(paths.containers(uid))) {
      for (const fs::path& run : subfolders(container)) {
        if (shim_lives_in(run)) running.push_back({uid, ContainerRun(run, fs::path())});
      }
    }
  }
  return running;
}

std::string name_of_pod(const Paths& paths, const std::string& uid) {
  const auto text = read_file(paths.identity(uid));
  const auto identity = text ? parse_json(*text) : Result<Json>(text.error());
  if (!identity) return uid;
  return fmt::format("{}/{}", string_at(*identity, "namespace"), string_at(*identity, "name"));
}

/// Until its lock is free, which the kernel says.
void wait_for_end(const fs::path& run) {
  const UniqueFd lock(::open((run / "lock").c_str(), O_RDONLY | O_CLOEXEC));
  while (lock.valid() && ::flock(lock.get(), LOCK_SH) != 0 && errno == EINTR) {
  }
}

}  // namespace

Result<std::vector<std::string>> end_running_pods(const fs::path& data_dir) {
  const Paths paths(data_dir);
  const std::vector<RunningContainer> running = running_containers(paths);
  std::set<std::string> pods;
  for (const RunningContainer& container : running) {
    const auto pid = container.run.shim_pid();
    if (!pid) continue;  // it has ended meanwhile
    pods.insert(name_of_pod(paths, container.uid));
    if (::kill(*pid, SIGTERM) != 0 && errno != ESRCH) {
      return io_error("ending", container.run.folder(), errno);
    }
  }
  for (const RunningContainer& container : running) wait_for_end(container.run.folder());
  Cgroups::open(data_dir).remove_others({});
  TRY_OK(unmount_below(paths.pods()));
  return std::vector<std::string>(pods.begin(), pods.end());
}

}  // namespace trainyard::node
