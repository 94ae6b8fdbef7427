#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace trainyard::node {

/// What /proc/PID/stat says of a process.
struct ProcessState {
  std::string name;
  char state = '?';  // of its main thread: R, S, D, T, …
  int parent = 0;
  std::int64_t cpu_microseconds = 0;  // its own, of all its threads
  std::uint64_t start = 0;            // pid and start tell a process from a later one
  std::vector<int> children;
};

/// All processes of the machine at one moment.
using ProcessStates = std::map<int, ProcessState>;

ProcessStates read_process_states(const std::filesystem::path& proc);
/// The inodes of the sockets of these processes, in order, each once.
std::vector<std::uint64_t> sockets_of(const std::filesystem::path& proc,
                                      const std::vector<int>& processes);
/// One process; its name is empty when there is none.
ProcessState read_process_state(const std::filesystem::path& proc, int pid);

}  // namespace trainyard::node
