#include "node/linux/cgroup_files.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/files/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  for (const std::string& line : split(std::string(mountinfo), '\n')) {
    // ID PARENT DEVICE ROOT POINT OPTIONS… - TYPE SOURCE OPTIONS
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const std::string& type = *(dash + 1);
    if (type != "cgroup" && type != "cgroup2") continue;
    CgroupMount mount;
    mount.unified = type == "cgroup2";
    mount.point = words[4];
    if (!mount.unified) mount.controllers = split(*(dash + 3), ',');
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

std::string parse_own_group(std::string_view cgroup) {
  for (const std::string& line : split(std::string(cgroup), '\n')) {
    if (line.starts_with("0::/")) return line.substr(3);
  }
  return "/";
}

std::int64_t counter_in(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
    std::int64_t number = 0;
    std::from_chars(line.data() + key.size() + 1, line.data() + line.size(), number);
    return number;
  }
  return 0;
}

Result<> write_setting(const std::filesystem::path& file, std::string_view value) {
  const UniqueFd opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!opened.valid() ||
      ::write(opened.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
    return io_error("setting", file, errno);
  }
  return Ok();
}

Result<> make_group(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return Ok();
  return io_error("making the control group", folder, errno);
}

Result<> remove_group(const std::filesystem::path& folder) {
  for (const std::string& child : groups_in(folder)) TRY_OK(remove_group(folder / child));
  if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return Ok();
  return io_error("removing the control group", folder, errno);
}

std::vector<std::string> groups_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : FolderEntries(folder)) {
    if (entry.is_directory(failed)) names.push_back(entry.path().filename());
  }
  return names;
}

CpuQuota cpu_quota(std::int64_t cpu_milli) {
  constexpr std::int64_t kUsualPeriod = 100'000;
  constexpr std::int64_t kLongestPeriod = 1'000'000;  // more is refused by the kernel
  constexpr std::int64_t kLeastTime = 1000;           // and so is less
  // Programs need the most when they start: with a small part of each usual period, one that then
  // does next to nothing would take seconds to begin. Longer periods let it use the part of later.
  constexpr std::int64_t kTimeToStart = 200'000;
  std::int64_t period = kUsualPeriod;
  if (cpu_milli > 0 && cpu_milli < 1000) {
    period = std::min(kTimeToStart * 1000 / cpu_milli, kLongestPeriod);
  }
  return {std::max(cpu_milli * period / 1000, kLeastTime), period};
}

std::int64_t cpu_shares(std::int64_t cpu_milli) {
  return std::clamp<std::int64_t>(cpu_milli * 1024 / 1000, 2, 262'144);
}

std::int64_t all_cpus_milli() {
  return 1000 * std::max<std::int64_t>(::sysconf(_SC_NPROCESSORS_ONLN), 1);
}

std::int64_t cpu_weight(std::int64_t cpu_milli) {
  return 1 + (cpu_shares(cpu_milli) - 2) * 9999 / 262'142;
}

}  // namespace trainyard::node
