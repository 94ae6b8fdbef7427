#pragma once

#include "cli/arena/flags.h"
#include "cli/arena/types.h"

#include <chrono>
#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// What a TFJob's flags say of one role.
struct RoleOptions {
  std::string image;
  std::string cpu, cpu_limit, memory, memory_limit;
  std::int64_t port = 0;
  std::vector<std::string> selectors;
  std::string affinity_policy = "none";
  std::string affinity_constraint = "preferred";
};

/// The flags of `arena submit …` as they were written. Not every type has all of them.
struct SubmitOptions {
  std::string name, image;
  std::int64_t workers = 1, gpus = 0;
  std::vector<std::string> devices;
  std::string cpu, memory, share_memory = "2Gi";
  std::string working_dir = "/root", shell = "sh";
  std::vector<std::string> env, env_from_secret;
  std::vector<std::string> data, data_dirs, config_files;
  std::vector<std::string> annotations, labels, selectors, tolerations;
  std::string priority, scheduler;
  bool gang = false, queue = false, rdma = false;
  bool host_network = false, host_ipc = false, host_pid = false;
  std::vector<std::string> pull_secrets;
  std::string pull_policy = "Always";
  std::string sync_mode, sync_source, sync_image, sync_volume = "arena-code";
  bool tensorboard = false;
  std::string tensorboard_image = "tensorflow/tensorflow:1.12.0-devel";
  std::string logdir = "/training_logs";
  std::string clean_policy = "Running";
  std::int64_t retry = 0;
  std::chrono::nanoseconds running_timeout{0}, starting_timeout{0}, ttl{0};
  std::string nproc_per_node;
  std::string model_name, model_source;
  bool gpu_topology = false, mounts_on_launcher = false;  // of MPI
  RoleOptions worker, ps, chief, evaluator;  // of TensorFlow; the worker's image of PyTorch
  std::int64_t ps_count = 0, ps_gpus = 0;
  bool has_chief = false, has_evaluator = false;
  std::string role_sequence, success_policy = "ChiefWorker";
  std::string command;  // all words behind the flags
  bool dry_run = false;
  std::string output;  // of --dry-run
};

/// Adds the flags that a type has.
void add_pytorch_flags(FlagSet& flags, SubmitOptions& options);
void add_mpi_flags(FlagSet& flags, SubmitOptions& options);
void add_tensorflow_flags(FlagSet& flags, SubmitOptions& options);

}  // namespace trainyard::cli::arena
