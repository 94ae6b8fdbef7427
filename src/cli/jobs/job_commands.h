#pragma once

#include "cli/command/commands.h"
#include "cli/curves/scalars.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace trainyard::cli {

/// The commands about jobs: their words, flags and examples. What they do is in a file each.
class JobCommands {
 public:
  using Action = std::function<Result<int>()>;
  /// Makes a command of the program's; the action is run when it was chosen.
  using AddCommand = std::function<CLI::App*(const char* name, const char* help, Action action)>;

  explicit JobCommands(Flags& flags) : flags_(flags) {}
  JobCommands(const JobCommands&) = delete;
  JobCommands& operator=(const JobCommands&) = delete;

  void add(const AddCommand& add_command);
  /// What stands behind `run` and its flags.
  void set_command(std::vector<std::string> command) { run_.command = std::move(command); }

 private:
  void add_run(const AddCommand& add_command);
  void add_submit(const AddCommand& add_command);
  void add_views(const AddCommand& add_command);
  void add_logs(const AddCommand& add_command);
  void add_stacks(const AddCommand& add_command);
  void add_scalars(const AddCommand& add_command);
  void add_wait(const AddCommand& add_command);
  void add_changes(const AddCommand& add_command);
  void add_debug(const AddCommand& add_command);
  void add_delete(const AddCommand& add_command);
  void add_explain(const AddCommand& add_command);

  Flags& flags_;
  RunOptions run_;
  SubmitOptions submit_;
  LogsOptions logs_;
  ScalarsOptions scalars_;
  WaitOptions wait_;
  DebugOptions debug_;
  DeleteOptions delete_;
  std::vector<std::string> names_;
  std::string labels_;
  std::string scaled_;
  std::string explained_;
  std::string stacked_;
  bool all_threads_ = false;
  std::int64_t replicas_ = 0;
};

}  // namespace trainyard::cli
