#pragma once

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::cli {

/// How `trainyard up` is to run.
struct UpOptions {
  std::filesystem::path data_dir;
  std::string listen = "127.0.0.1:6480";
  std::string console = "127.0.0.1:6481";
  std::string apps;                      // --apps; empty: the console's port + 1
  std::string stall_after = "3m";        // a rank that does nothing any more is told of
  std::string idle_after = "1h";         // a TensorBoard or notebook that nobody uses is idle
  std::string suspend_after = "24h";     // and then suspended
  std::string nodes;                     // --nodes; empty: one
  std::optional<std::string> fake_gpus;  // --fake-gpus; empty when it came without a number
  bool overcommit_memory = false;
  bool strict_images = false;
  bool fake_runtime = false;  // pods are only said to run
  bool accept_loss = false;   // the store may lack writes that were acknowledged
  std::string log_limit = "10Gi";
  std::string keep_logs = "14d";
  std::string keep_logs_size = "10Gi";
  std::string keep_usage = "30d";
  std::string keep_usage_size = "1Gi";
  std::string audit_log_size = "64Mi";  // of one file of the audit log
  int keep_audit = 4;                   // files of it that are full
  std::vector<std::string> webhooks;    // told of every job's end; addresses are secrets
  std::string on_job_end;               // a command that is run then
  int ready_fd = -1;   // gets text_of() when the server answers; closed without it when it fails
  bool again = false;  // after a crash of the one before: people know of it
};

/// What a running server says of itself in DATA_DIR/server.json.
struct ServerInfo {
  int pid = 0;
  std::string api_url;
  std::string console_url;
  std::string apps_url;
  std::string pods_path;  // the PATH that pods get
};

std::string text_of(const ServerInfo& info);

/// TRAINYARD_DATA_DIR, or ~/.trainyard.
std::filesystem::path default_data_dir();

/// The server of that data folder, if one runs. It holds DATA_DIR/lock while it lives.
std::optional<ServerInfo> find_server(const std::filesystem::path& data_dir);
/// What the last server there has said of itself when it was ready, whether it runs or not.
std::optional<ServerInfo> read_server_info(const std::filesystem::path& data_dir);

/// Starts a server in the background; returns when it answers.
Result<ServerInfo> start_server(const UpOptions& options);
/// In a process that start_server() has made: what was not put on its command line, which everybody
/// on the machine can read.
void take_secret_options(UpOptions& options);
/// Ends the server; `with_pods` ends the pods too. Returns when it is gone.
Result<> stop_server(const std::filesystem::path& data_dir, bool with_pods);

/// Held by a server for its life. kAlreadyExists: another one has it, and the message says which.
Result<int> lock_data_dir(const std::filesystem::path& data_dir);
/// Also where the disk is full, if a server has run there before.
Result<> write_server_info(const std::filesystem::path& data_dir, const ServerInfo& info);
/// The server ends. The file stays, with nothing in it: so it has a place on a disk that is full.
void clear_server_info(const std::filesystem::path& data_dir);

}  // namespace trainyard::cli
