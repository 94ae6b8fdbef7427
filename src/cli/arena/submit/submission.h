#pragma once

#include "cli/arena/context.h"
#include "cli/arena/submit/settings.h"

#include <map>
#include <string>

namespace trainyard::cli::arena {

/// All that the objects of a job are made from.
struct Submission {
  TrainingType type;
  Settings settings;
  Caller caller;  // empty: not known
  std::string ns;
  bool embedded = false;         // the server is ours: pods share its machine and have our program
  std::string log_digits;        // make the folder of event files on the node one of its own
  bool own_working_dir = false;  // the machine's cannot be used: the pods get one of their own
  std::string code_listing;      // in the volume --sync-volume: which files to take from there

  const SubmitOptions& options() const { return settings.options; }
};

inline constexpr const char* kTemplateVersion = "1.0.0";
inline constexpr const char* kGpusAnnotation = "requestGPUsOfJobOwner";

using Texts = std::map<std::string, std::string>;

/// Labels and annotations that a job and its pods have.
Texts labels_of(const Submission& submission);
Texts annotations_of(const Submission& submission, std::int64_t gpus);

/// One role of a job.
struct RolePlan {
  std::string role;  // Master
  std::int64_t replicas = 1;
  std::string restart_policy = "Never";
  std::string image;
  std::int64_t gpus = 0;
  std::string cpu, cpu_limit, memory, memory_limit;
  Texts selector;
  Texts more_labels{};
  Texts more_env{};
  JsonArray ports{};
  Json affinity{};
  bool runs_command = true;
  bool mounts_data = true;
};

/// An entry of the job's replica specs.
Json make_replica_spec(const Submission& submission, const RolePlan& role, std::int64_t job_gpus);
/// spec.runPolicy.
Json make_run_policy(const Submission& submission);

/// Kubernetes objects in the order in which they are created: the record first, the job last.
std::vector<Json> make_objects(const Submission& submission);

Json make_pytorch_job(const Submission& submission);
Json make_tensorflow_job(const Submission& submission);
Json make_mpi_job(const Submission& submission);
/// What all kinds of jobs have around their replica specs.
Json make_job(const Submission& submission, std::int64_t gpus, Json spec);

/// The init container that fetches the code, and the volumes that it needs. Null without one.
Json make_code_container(const Submission& submission);
/// Where the training finds it.
std::string code_folder(const SubmitOptions& options);
/// What is for the init container only: no training needs it, and no record keeps it.
bool is_credential(const std::string& variable);

/// The Service and the Deployment that show the event files.
std::vector<Json> make_tensorboard(const Submission& submission);
/// Whether the training pods get a folder of the node for their event files.
bool needs_log_folder(const Submission& submission);
std::string node_log_folder(const Submission& submission);

}  // namespace trainyard::cli::arena
