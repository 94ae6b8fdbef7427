#pragma once

#include "base/result.h"
#include "cli/command/server_process.h"

#include <string>
#include <vector>

/// `trainyard up --systemd`: the server as a service that starts with the machine, or with its
/// user's first login.
namespace trainyard::cli {

struct UnitOptions {
  bool system = false;               // else the user's
  std::vector<std::string> command;  // with the program's whole path
  std::string path;                  // PATH of the jobs; empty: systemd's
  std::string secrets_file;          // variables that nobody else shall read; may be empty
};

/// Pure.
std::string unit_text(const UnitOptions& options);
/// A word as ExecStart= and Environment= want it.
std::string unit_word(const std::string& word);
/// A line of a file that EnvironmentFile= names.
std::string environment_line(const std::string& name, const std::string& value);

/// Writes the unit, enables and starts it, and says what it did.
Result<int> install_unit(const UpOptions& options);

}  // namespace trainyard::cli
