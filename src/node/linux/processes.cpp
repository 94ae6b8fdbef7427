#include "node/linux/processes.h"

#include "base/files.h"
#include "node/linux/cgroup_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace trainyard::node {
namespace {

// Fields of /proc/PID/stat, numbered as in proc(5).
constexpr std::size_t kParent = 4;
constexpr std::size_t kUserTicks = 14;  // then: system, and both of children that have ended
constexpr std::size_t kResidentPages = 24;

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The numbers after the program's name, which may contain blanks and brackets; [4] is field 4.
std::optional<std::array<std::int64_t, kResidentPages + 1>> stat_fields(const std::string& stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream words(stat.substr(name_end + 1));
  std::string state;
  words >> state;
  std::array<std::int64_t, kResidentPages + 1> fields{};
  for (std::size_t i = kParent; i < fields.size(); ++i) words >> fields[i];
  return words.fail() ? std::nullopt : std::optional(fields);
}

}  // namespace

ProcessTable::ProcessTable(std::filesystem::path proc) : proc_(std::move(proc)) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(proc_, failed)) {
    const auto pid = whole_number<int>(entry.path().filename().native());
    if (!pid) continue;
    // One that has ended meanwhile is left out.
    if (const auto stat = read_file(entry.path() / "stat")) add(*pid, *stat);
  }
}

void ProcessTable::add(int pid, const std::string& stat) {
  static const std::int64_t kTick = 1'000'000 / ::sysconf(_SC_CLK_TCK);
  static const std::int64_t kPage = ::sysconf(_SC_PAGESIZE);
  const auto fields = stat_fields(stat);
  if (!fields) return;
  Process& process = processes_[pid];
  for (std::size_t i = kUserTicks; i < kUserTicks + 4; ++i) {
    process.cpu_microseconds += (*fields)[i] * kTick;
  }
  process.memory_bytes = (*fields)[kResidentPages] * kPage;
  processes_[static_cast<int>((*fields)[kParent])].children.push_back(pid);
}

std::vector<int> ProcessTable::family_of(int pid) const {
  std::vector<int> family;
  if (!processes_.contains(pid)) return family;
  family.push_back(pid);
  for (std::size_t i = 0; i < family.size(); ++i) {
    const std::vector<int>& children = processes_.at(family[i]).children;
    family.insert(family.end(), children.begin(), children.end());
  }
  return family;
}

ContainerCounters ProcessTable::counters_of(const std::vector<int>& family) const {
  ContainerCounters counters;
  for (const int pid : family) {
    const Process& process = processes_.at(pid);
    counters.cpu_microseconds += process.cpu_microseconds;
    if (pid != family.front()) counters.memory_bytes += process.memory_bytes;
  }
  return counters;
}

void ProcessTable::add_disk(const std::vector<int>& family, ContainerCounters& counters) const {
  for (const int pid : family) {
    const auto io = read_file(proc_ / std::to_string(pid) / "io");
    if (!io) continue;  // it has ended, or is another user's
    counters.disk_read_bytes += counter_in(*io, "read_bytes:");
    counters.disk_written_bytes += counter_in(*io, "write_bytes:");
  }
}

std::vector<std::uint64_t> ProcessTable::sockets_of(const std::vector<int>& family) const {
  constexpr std::string_view kPrefix = "socket:[";
  std::vector<std::uint64_t> sockets;
  for (const int pid : family) {
    std::error_code failed;
    const auto folder = proc_ / std::to_string(pid) / "fd";
    for (auto entry = std::filesystem::directory_iterator(folder, failed);
         !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
      std::error_code closed;
      const std::string target = std::filesystem::read_symlink(entry->path(), closed);
      if (!target.starts_with(kPrefix)) continue;
      const std::string_view digits(target.data() + kPrefix.size(),
                                    target.size() - kPrefix.size() - 1);
      if (const auto inode = whole_number<std::uint64_t>(digits)) sockets.push_back(*inode);
    }
  }
  std::sort(sockets.begin(), sockets.end());
  sockets.erase(std::unique(sockets.begin(), sockets.end()), sockets.end());
  return sockets;
}

}  // namespace trainyard::node
