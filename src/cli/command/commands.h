#pragma once

#include "cli/command/context.h"
#include "contract/image_map.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// One function a command. Each returns the process's exit code; an Error is printed by the caller
/// and exits with 1.
namespace trainyard::cli {

/// `trainyard run [flags] -- COMMAND`.
struct RunOptions {
  std::vector<std::string> command;
  std::int64_t replicas = 1;
  bool torchrun = false;  // one replica, in which torchrun starts that many processes
  std::string name;       // empty: made from the command
  std::string image = "host";
  std::string cpu;     // of each replica; empty: none is reserved
  std::string memory;  // the same
  std::int64_t gpus = 0;
  std::string volume;            // a claim to work in; empty: the current folder
  std::vector<std::string> env;  // NAME=VALUE, or NAME as it is here
  std::int64_t retries = 0;
  bool detach = false;
  bool dry_run = false;
  bool yes = false;  // start a server where none runs
};

struct SubmitOptions {
  std::vector<std::string> files;  // - is standard input
  bool follow = false;
};

/// Which logs of a job are wanted.
struct LogsOptions {
  std::string job;      // NAME or KIND/NAME
  std::string replica;  // such as node-0, or a type, such as node; empty: all
  bool follow = false;
  bool previous = false;  // of the attempt before the last
  bool all = false;       // of every attempt
  bool timestamps = false;
  std::optional<std::int64_t> tail;  // lines, of each replica
  std::string since;                 // such as 10m; empty: from the beginning
};

struct WaitOptions {
  std::vector<std::string> jobs;
  std::string goal = "Succeeded";
  std::string timeout = "1h";
};

struct DebugOptions {
  std::string job;
  std::string file;      // in place of a job that exists
  bool replace = false;  // the job itself, instead of a copy
  bool yes = false;
};

struct DeleteOptions {
  std::vector<std::string> jobs;
  bool all = false;
  bool yes = false;
};

struct DataOptions {
  std::string name;
  std::string path;
  std::string size = "10Gi";
  bool read_only = false;
  bool replace = false;  // an existing volume of that name becomes this one
};

struct ImageOptions {
  std::string pattern;
  std::string venv;
  std::string conda;
  std::string rootfs;
  bool host = false;
  std::vector<std::string> variables;  // NAME=VALUE
  contract::ImageConfig config;        // of an image that was unpacked
};

struct UserOptions {
  std::string name;
  std::string role = "edit";  // view, edit, admin, cluster-admin
  std::vector<std::string> groups;
  std::string kubeconfig_out;  // empty: standard output
};

/// Which lines of the audit log are wanted, beside --namespace.
struct AuditOptions {
  std::string user;
  std::string verb;
  std::string since;  // such as 1h; empty: from the beginning
  bool follow = false;
};

struct NotebookOptions {
  std::string folder;               // empty: in the data folder
  std::string python;               // empty: the system's
  std::string image = "*jupyter*";  // the images that get it
};

struct DemoOptions {
  int replicas = 2;
  int steps = 2000;
  bool plain = false;  // without PyTorch
};

Result<int> submit(const Flags& flags, const SubmitOptions& options);
Result<int> run_command(const Flags& flags, const RunOptions& options);
/// `labels` is a selector.
Result<int> list(const Flags& flags, const std::string& labels);
Result<int> get(const Flags& flags, const std::vector<std::string>& jobs);
/// Names that begin like that, for shells; none when they cannot be had.
void print_job_names(const Flags& flags, const std::string& beginning);
Result<int> describe(const Flags& flags, const std::vector<std::string>& jobs);
Result<int> logs(const Flags& flags, const LogsOptions& options);
/// Where the ranks of a job are.
Result<int> stacks(const Flags& flags, const std::string& job, bool all_threads);
/// Exits with 0 when the goal was reached, 1 when it can no longer be, 2 when time ran out.
Result<int> wait(const Flags& flags, const WaitOptions& options);
Result<int> pause(const Flags& flags, const std::vector<std::string>& jobs);
Result<int> resume(const Flags& flags, const std::vector<std::string>& jobs);
Result<int> scale(const Flags& flags, const std::string& job, std::int64_t replicas);
Result<int> debug(const Flags& flags, const DebugOptions& options);
Result<int> remove(const Flags& flags, const DeleteOptions& options);
/// What the jobs of a file will do when something happens to them. Asks no server.
Result<int> explain(const Flags& flags, const std::string& file);
Result<int> data_create(const Flags& flags, const DataOptions& options);
Result<int> data_list(const Flags& flags);
Result<int> data_ls(const Flags& flags, const std::string& place);
Result<int> data_cat(const Flags& flags, const std::string& place);
Result<int> data_cp(const Flags& flags, const std::vector<std::string>& places);
Result<int> data_rm(const Flags& flags, const std::string& place, bool recursive);
Result<int> data_delete(const Flags& flags, const std::vector<std::string>& names);
Result<int> image_map(const Flags& flags, const ImageOptions& options);
Result<int> image_list(const Flags& flags);
Result<int> image_remove(const Flags& flags, const std::string& pattern);
Result<int> user_add(const Flags& flags, const UserOptions& options);
Result<int> user_list(const Flags& flags);
Result<int> user_remove(const Flags& flags, const std::string& name);
/// Fetches the repository that the variables GIT_SYNC_… name. For init containers.
Result<int> git_sync();
Result<int> status(const Flags& flags);
Result<int> down(const Flags& flags);
/// The server, if one runs, and all pods.
using EndPods = std::function<Result<std::vector<std::string>>(const std::filesystem::path&)>;
Result<int> down_all(const Flags& flags, const EndPods& end_pods);
Result<int> kubeconfig(const Flags& flags);
Result<int> open_console(const Flags& flags);
/// Nothing: the console. A job: its TensorBoard, else its page. `tensorboard NAME`, `notebook
/// NAME`.
Result<int> open_page(const Flags& flags, const std::vector<std::string>& words);
Result<int> notebook_setup(const Flags& flags, const NotebookOptions& options);
/// Reads the audit log of this machine's server, whether that runs or not.
Result<int> audit(const Flags& flags, const AuditOptions& options);
/// Exits with 1 when something is missing without which no job runs.
Result<int> doctor(const Flags& flags);
Result<int> demo(const Flags& flags, const DemoOptions& options);

}  // namespace trainyard::cli
