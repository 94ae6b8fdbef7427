#include "cli/command/running_servers.h"

#include "base/files/folder_entries.h"
#include "cli/command/server_process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

bool is_ours(const fs::path& process) {
  struct stat facts{};
  return ::stat(process.c_str(), &facts) == 0 && facts.st_uid == ::geteuid();
}

/// A server holds DATA_DIR/lock for its life, wherever its folder was named.
std::vector<fs::path> locked_folders(const fs::path& process) {
  std::vector<fs::path> folders;
  for (const auto& entry : FolderEntries(process / "fd")) {
    std::error_code gone;
    const fs::path file = fs::read_symlink(entry.path(), gone);
    if (!gone && file.filename() == "lock") folders.push_back(file.parent_path());
  }
  return folders;
}

}  // namespace

std::vector<fs::path> running_servers() {
  std::vector<fs::path> found;
  for (const auto& entry : FolderEntries("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || !is_ours(entry.path())) {
      continue;
    }
    for (const fs::path& folder : locked_folders(entry.path())) {
      const auto server = find_server(folder);
      if (server && std::to_string(server->pid) == name) found.push_back(folder);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Result<fs::path> choose_data_dir(const fs::path& wanted, bool named) {
  if (find_server(wanted)) return wanted;
  const std::vector<fs::path> running = running_servers();
  if (!named && running.size() == 1) return running.front();
  if (running.empty()) {
    return Error(Code::kNotFound,
                 fmt::format("no server runs on {}: start one with `trainyard up --detach`",
                             wanted.string()));
  }
  std::vector<std::string> folders;
  for (const fs::path& folder : running) folders.push_back(folder.string());
  return Error(Code::kNotFound,
               fmt::format("no server runs on {}: start one with `trainyard up --detach`, or name "
                           "the folder of one that runs with --data-dir: {}",
                           wanted.string(), fmt::join(folders, ", ")));
}

}  // namespace trainyard::cli
