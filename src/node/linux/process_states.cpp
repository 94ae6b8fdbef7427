#include "node/linux/process_states.h"

#include "base/files/files.h"
#include "node/linux/stat_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace trainyard::node {
namespace {

/// The name may hold blanks and brackets: what comes after the last one is plain.
bool parse_stat(std::string_view stat, ProcessState& state) {
  static const std::int64_t kTick = 1'000'000 / ::sysconf(_SC_CLK_TCK);
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return false;
  }
  state.name = stat.substr(open + 1, close - open - 1);
  stat.remove_prefix(close + 1);
  if (stat.size() < 2) return false;
  state.state = stat[1];
  stat.remove_prefix(2);
  std::array<std::uint64_t, stat_fields::kStart + 1> fields{};
  for (std::size_t i = stat_fields::kParent; i < fields.size(); ++i) {
    const std::size_t begin = stat.find_first_not_of(' ');
    if (begin == std::string_view::npos) return false;
    stat.remove_prefix(begin);
    // Some are negative; none of those matters here.
    const auto parsed = std::from_chars(stat.data(), stat.data() + stat.size(), fields[i]);
    (void)parsed;
    stat.remove_prefix(std::min(stat.find(' '), stat.size()));
  }
  state.parent = static_cast<int>(fields[stat_fields::kParent]);
  state.cpu_microseconds = static_cast<std::int64_t>(fields[stat_fields::kUserTicks] +
                                                     fields[stat_fields::kSystemTicks]) *
                           kTick;
  state.start = fields[stat_fields::kStart];
  return true;
}

}  // namespace

ProcessState read_process_state(const std::filesystem::path& proc, int pid) {
  ProcessState state;
  const auto stat = read_file(proc / std::to_string(pid) / "stat");
  if (!stat || !parse_stat(*stat, state)) return {};
  return state;
}

std::vector<std::uint64_t> sockets_of(const std::filesystem::path& proc,
                                      const std::vector<int>& processes) {
  constexpr std::string_view kPrefix = "socket:[";
  std::vector<std::uint64_t> sockets;
  for (const int pid : processes) {
    std::error_code failed;
    for (auto entry =
             std::filesystem::directory_iterator(proc / std::to_string(pid) / "fd", failed);
         !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
      std::error_code closed;
      const std::string target = std::filesystem::read_symlink(entry->path(), closed);
      if (!target.starts_with(kPrefix)) continue;
      std::uint64_t inode = 0;
      std::from_chars(target.data() + kPrefix.size(), target.data() + target.size(), inode);
      sockets.push_back(inode);
    }
  }
  std::sort(sockets.begin(), sockets.end());
  sockets.erase(std::unique(sockets.begin(), sockets.end()), sockets.end());
  return sockets;
}

ProcessStates read_process_states(const std::filesystem::path& proc) {
  ProcessStates states;
  std::error_code failed;
  for (auto entry = std::filesystem::directory_iterator(proc, failed);
       !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    const std::string name = entry->path().filename().native();
    int pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
    // One that has ended meanwhile is left out.
    ProcessState state = read_process_state(proc, pid);
    if (!state.name.empty()) states.emplace(pid, std::move(state));
  }
  for (const auto& [pid, state] : states) {
    const auto parent = states.find(state.parent);
    if (parent != states.end()) parent->second.children.push_back(pid);
  }
  return states;
}

}  // namespace trainyard::node
