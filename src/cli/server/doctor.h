#pragma once

#include "cli/command/server_process.h"
#include "object/json/json.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// `trainyard doctor`: first what the machine is (facts), then what that means (checks, purely).
namespace trainyard::cli {

struct PortFact {
  std::string what;  // the flag that chooses it: --listen
  std::uint16_t port = 0;
  bool free = true;
  std::string holder;  // who listens there, where that can be seen
};

struct MachineFacts {
  std::string kernel;  // 6.1.0-18-amd64
  bool root = false;
  std::string namespaces_problem;                // empty: they can be made
  std::vector<std::string> namespaces_remedies;  // settings that forbid them, as commands
  int cgroups = 0;                               // their version; 0: none
  bool cgroups_writable = false;
  std::optional<ServerInfo> server;
  std::vector<PortFact> ports;
  std::string data_dir;
  std::string data_problem;  // why it cannot be written to
  std::uint64_t disk_free = 0;
  std::string python;  // its path; empty: none
  std::string python_version;
  bool python_in_venv = false;
  std::string torch, tensorboard, jupyter;  // their versions; empty: not there
  std::string mpirun, ssh, sshd, git;       // their paths
  std::string kubectl;                      // its version; empty: not there
  int gpus = 0;                             // that the driver shows
  bool nvidia_card = false;                 // one is plugged in
};

enum class Health : std::uint8_t { kOk, kMissing, kNote };

struct Check {
  std::string name;
  Health health = Health::kOk;
  bool required = false;  // without it no job runs
  std::string finding;
  std::string remedy;  // what mends it: a command, or what to do
  // What a command can mend of it, for the one that mends all.
  std::vector<std::string> packages{};  // of Debian
  std::vector<std::string> wheels{};    // of PyPI
  std::vector<std::string> commands{};  // as they are
};

/// Looks, and changes nothing.
MachineFacts look_at_machine(const std::filesystem::path& data_dir);

/// Pure.
std::vector<Check> examine(const MachineFacts& facts);
/// Whether jobs can run at all.
bool can_run_jobs(const std::vector<Check>& checks);
/// One command line that mends all that a command can; empty: there is nothing.
std::string mending_command(const MachineFacts& facts, const std::vector<Check>& checks);
std::string checks_text(const std::vector<Check>& checks, const std::string& mending);
Json checks_json(const std::vector<Check>& checks, const std::string& mending);

}  // namespace trainyard::cli
