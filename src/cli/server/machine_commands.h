#pragma once

#include "cli/command/commands.h"
#include "cli/server/backup.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace trainyard::cli {

/// The commands about this machine and the program itself: their words, flags and examples. What
/// they do is in a file each.
class MachineCommands {
 public:
  using Action = std::function<Result<int>()>;
  /// Makes a command of the program's; the action is run when it was chosen.
  using AddCommand = std::function<CLI::App*(const char* name, const char* help, Action action)>;

  MachineCommands(Flags& flags, const StoreTools& store) : flags_(flags), store_(store) {}
  MachineCommands(const MachineCommands&) = delete;
  MachineCommands& operator=(const MachineCommands&) = delete;

  /// `all`: the whole program, which `help` tells about.
  void add(const AddCommand& add_command, CLI::App& all);

 private:
  void add_help(const AddCommand& add_command, CLI::App& all);
  void add_doctor(const AddCommand& add_command);
  void add_demo(const AddCommand& add_command);
  void add_audit(const AddCommand& add_command);
  void add_backup(const AddCommand& add_command);
  Result<int> print_help(const CLI::App& all);

  Flags& flags_;
  const StoreTools& store_;
  BackupOptions backup_;
  DemoOptions demo_;
  AuditOptions audit_;
  std::vector<std::string> words_;
  bool man_ = false;
  bool markdown_ = false;
};

}  // namespace trainyard::cli
