#include "node/linux/processes.h"

#include "node/linux/cgroup_files.h"
#include "node/linux/stat_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace trainyard::node {
namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

using Stat = std::array<std::int64_t, stat_fields::kResidentPages + 1>;

/// The numbers after the program's name, which may contain blanks and brackets; [4] is field 4.
std::optional<Stat> numbers_in(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const char* at = stat.data() + name_end + 1;
  const char* const end = stat.data() + stat.size();
  const auto skip = [&](bool blanks) {
    while (at < end && (*at == ' ') == blanks) ++at;
  };
  skip(true);
  skip(false);  // the state
  Stat fields{};
  for (std::size_t i = stat_fields::kParent; i < fields.size(); ++i) {
    skip(true);
    const auto parsed = std::from_chars(at, end, fields[i]);
    if (parsed.ec != std::errc()) return std::nullopt;
    at = parsed.ptr;
  }
  return fields;
}

/// The begin of a small file; nothing when its process has ended, or is another user's. There are
/// hundreds of them to be read every other second.
class SmallFile {
 public:
  std::optional<std::string_view> read(int folder, int pid, const char* name) {
    std::array<char, 64> path;
    *fmt::format_to_n(path.data(), path.size() - 1, "{}/{}", pid, name).out = '\0';
    const UniqueFd file(::openat(folder, path.data(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) return std::nullopt;
    const ssize_t count = ::read(file.get(), bytes_.data(), bytes_.size());
    if (count <= 0) return std::nullopt;
    return std::string_view(bytes_.data(), static_cast<std::size_t>(count));
  }

 private:
  std::array<char, 2048> bytes_;
};

UniqueFd open_folder(int above, const char* name) {
  return UniqueFd(::openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// What is in a folder, by name.
template <class See>
void for_each_entry(UniqueFd folder, See see) {
  if (!folder.valid()) return;
  DIR* entries = ::fdopendir(folder.release());
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries)) see(entry->d_name);
  ::closedir(entries);
}

}  // namespace

ProcessTable::ProcessTable(std::filesystem::path proc) : proc_(std::move(proc)) {
  folder_ = open_folder(AT_FDCWD, proc_.c_str());
  if (!folder_.valid()) return;
  SmallFile file;
  for_each_entry(open_folder(folder_.get(), "."), [&](const char* name) {
    const auto pid = whole_number<int>(name);
    if (!pid) return;
    // One that has ended meanwhile is left out.
    if (const auto stat = file.read(folder_.get(), *pid, "stat")) add(*pid, *stat);
  });
}

void ProcessTable::add(int pid, std::string_view stat) {
  static const std::int64_t kTick = 1'000'000 / ::sysconf(_SC_CLK_TCK);
  static const std::int64_t kPage = ::sysconf(_SC_PAGESIZE);
  const auto fields = numbers_in(stat);
  if (!fields) return;
  Process& process = processes_[pid];
  for (std::size_t i = stat_fields::kUserTicks; i < stat_fields::kUserTicks + 4; ++i) {
    process.cpu_microseconds += (*fields)[i] * kTick;
  }
  process.threads = (*fields)[stat_fields::kThreads];
  process.memory_bytes = (*fields)[stat_fields::kResidentPages] * kPage;
  processes_[static_cast<int>((*fields)[stat_fields::kParent])].children.push_back(pid);
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

std::int64_t ProcessTable::threads_of(const std::vector<int>& family) const {
  std::int64_t threads = 0;
  for (std::size_t i = 1; i < family.size(); ++i) threads += processes_.at(family[i]).threads;
  return threads;
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
  SmallFile file;
  for (const int pid : family) {
    const auto io = file.read(folder_.get(), pid, "io");
    if (!io) continue;
    counters.disk_read_bytes += counter_in(*io, "read_bytes:");
    counters.disk_written_bytes += counter_in(*io, "write_bytes:");
    counters.disk_calls += counter_in(*io, "syscr:") + counter_in(*io, "syscw:");
  }
}

std::vector<std::uint64_t> ProcessTable::sockets_of(const std::vector<int>& family) const {
  constexpr std::string_view kPrefix = "socket:[";
  std::vector<std::uint64_t> sockets;
  for (const int pid : family) {
    UniqueFd folder = open_folder(folder_.get(), fmt::format("{}/fd", pid).c_str());
    const int place = folder.get();  // for_each_entry() closes it at its end
    for_each_entry(std::move(folder), [&](const char* name) {
      std::array<char, 64> target;
      const ssize_t length = ::readlinkat(place, name, target.data(), target.size());
      if (length <= 0) return;
      std::string_view text(target.data(), static_cast<std::size_t>(length));
      if (!text.starts_with(kPrefix)) return;
      text.remove_prefix(kPrefix.size());
      text.remove_suffix(1);
      if (const auto inode = whole_number<std::uint64_t>(text)) sockets.push_back(*inode);
    });
  }
  std::sort(sockets.begin(), sockets.end());
  sockets.erase(std::unique(sockets.begin(), sockets.end()), sockets.end());
  return sockets;
}

}  // namespace trainyard::node
