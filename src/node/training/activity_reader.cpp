#include "node/training/activity_reader.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "node/linux/cgroup_files.h"
#include "node/linux/python_stacks.h"
#include "node/run/container_run.h"
#include "node/training/progress_reader.h"

#include <algorithm>
#include <charconv>

namespace trainyard::node {
namespace {

/// What a main thread has run for: the first number of its schedstat.
std::int64_t nanoseconds_of(const std::filesystem::path& process, const std::string& pid) {
  const auto text = read_file(process / "task" / pid / "schedstat");
  std::int64_t nanoseconds = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), nanoseconds);
  return nanoseconds;
}

std::int64_t bytes_through(const TrafficOfSockets& traffic,
                           const std::vector<std::uint64_t>& sockets) {
  std::int64_t sum = 0;
  for (const std::uint64_t socket : sockets) {
    const auto found = traffic.find(socket);
    if (found != traffic.end()) sum += found->second.received_bytes + found->second.sent_bytes;
  }
  return sum;
}

std::string command_of(const std::filesystem::path& process) {
  constexpr std::size_t kLongest = 200;
  std::string words = read_file(process / "cmdline").value_or("");
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words.substr(0, kLongest);
}

}  // namespace

RankVariables ActivityReader::variables_of(const ProcessStates& processes, int pid) {
  const ProcessId id(pid, processes.at(pid).start);
  const auto known = variables_.find(id);
  if (known != variables_.end()) return known->second;
  const auto text = read_file(proc_ / std::to_string(pid) / "environ");
  const RankVariables told = text ? read_rank_variables(*text) : RankVariables();
  // One that is about to become another program still has its parent's.
  const bool is_new = processes.at(pid).cpu_microseconds == 0;
  if (!is_new) variables_.emplace(id, told);
  return told;
}

std::vector<RankProcess> ActivityReader::ranks_of(const ProcessStates& processes,
                                                  const UsageTarget& target) {
  const ContainerRun run(paths_.run(target.uid, target.container, target.number), {});
  const auto shim = run.shim_pid();
  if (!shim) return {};
  return find_ranks(processes, *shim, [&](int pid) { return variables_of(processes, pid); });
}

RankSample ActivityReader::look(const ProcessStates& processes, const RankProcess& rank) const {
  RankSample sample;
  sample.time = clock_.now();
  const std::string main = std::to_string(rank.pid);
  const char state = processes.at(rank.pid).state;
  sample.doing = kind_of(look_at_wait(proc_, rank.pid, state, false));
  sample.main_nanoseconds = nanoseconds_of(proc_ / main, main);
  std::string family;
  for (const int pid : rank.family) {
    const ProcessState& process = processes.at(pid);
    sample.cpu_microseconds += process.cpu_microseconds;
    family.append(std::to_string(pid)).append(1, ' ').append(std::to_string(process.start));
    const auto io = read_file(proc_ / std::to_string(pid) / "io");
    if (!io) continue;  // it has ended, or is another user's
    sample.file_bytes += counter_in(*io, "rchar:") + counter_in(*io, "wchar:");
  }
  sample.family = fnv1a(family);
  return sample;
}

std::vector<RankReading> ActivityReader::read(const std::vector<UsageTarget>& targets) {
  std::vector<RankReading> readings;
  if (targets.empty()) return readings;
  const ProcessStates processes = read_process_states(proc_);
  for (const UsageTarget& target : targets) {
    for (RankProcess& rank : ranks_of(processes, target)) {
      RankReading reading{target, std::move(rank), {}, false};
      reading.sample = look(processes, reading.process);
      readings.push_back(std::move(reading));
    }
  }
  // Connections are the dearest to look at, and most ranks are seen to move without.
  std::optional<TrafficOfSockets> traffic;
  for (RankReading& reading : readings) {
    const ProcessId id(reading.process.pid, reading.process.start);
    reading.disturbed = disturbed_.erase(id) > 0;
    const auto last = last_.find(id);
    // What it has written to answer us is no motion.
    const bool moves = !reading.disturbed && last != last_.end() &&
                       motion_without_sockets(last->second, reading.sample) == Motion::kMoves;
    if (!moves) {
      if (!traffic) traffic = read_tcp_traffic().value_or(TrafficOfSockets());
      reading.sample.socket_bytes =
          bytes_through(*traffic, sockets_of(proc_, reading.process.family));
    }
    last_[id] = reading.sample;
  }
  forget_others(processes);
  return readings;
}

std::vector<std::optional<monitor::Progress>> ActivityReader::read_logs(
    const std::vector<UsageTarget>& targets) const {
  std::vector<std::optional<monitor::Progress>> read;
  for (const UsageTarget& target : targets) {
    const auto folder = paths_.run(target.uid, target.container, target.number);
    read.push_back(read_log_progress(folder, clock_.wall()));
  }
  return read;
}

void ActivityReader::forget_others(const ProcessStates& processes) {
  const auto is_gone = [&](const ProcessId& id) {
    const auto found = processes.find(id.first);
    return found == processes.end() || found->second.start != id.second;
  };
  std::erase_if(variables_, [&](const auto& entry) { return is_gone(entry.first); });
  std::erase_if(last_, [&](const auto& entry) { return is_gone(entry.first); });
  std::erase_if(disturbed_, is_gone);
}

RankPlace ActivityReader::locate(const RankProcess& process) {
  RankPlace place;
  const ProcessState state = read_process_state(proc_, process.pid);
  if (state.start != process.start) {
    place.waits = "has ended";
    return place;
  }
  // Before it is disturbed.
  place.waits = words_for(look_at_wait(proc_, process.pid, state.state, true));
  auto text = ask_python_stacks(proc_, process.pid, process.start);
  if (!text) {
    place.no_python = text.error().message();
    return place;
  }
  disturbed_.emplace(process.pid, process.start);
  place.threads = contract::read_python_stacks(*text);
  if (place.threads.empty()) place.no_python = "what it answers cannot be understood";
  return place;
}

std::vector<client::ProcessStack> ActivityReader::take_stacks(
    const std::vector<UsageTarget>& targets) {
  std::vector<client::ProcessStack> stacks;
  const ProcessStates processes = read_process_states(proc_);
  for (const UsageTarget& target : targets) {
    for (const RankProcess& rank : ranks_of(processes, target)) {
      RankPlace place = locate(rank);
      client::ProcessStack stack;
      stack.container = target.container;
      stack.rank = rank.variables.rank;
      stack.pid = rank.pid;
      stack.command = command_of(proc_ / std::to_string(rank.pid));
      stack.waits = std::move(place.waits);
      stack.threads = std::move(place.threads);
      stack.no_python = std::move(place.no_python);
      stacks.push_back(std::move(stack));
    }
  }
  return stacks;
}

}  // namespace trainyard::node
