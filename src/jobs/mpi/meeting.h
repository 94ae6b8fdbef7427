#pragma once

#include "jobs/engine/form/form.h"

#include <string>
#include <vector>

/// How the launcher of an MPI job and its workers meet, whatever the kind: host names, an sshd in
/// each worker, keys of the job's own, and scripts. Pure.
namespace trainyard::jobs {

/// Where the files are in every pod.
inline constexpr const char* kMpiFolder = "/etc/mpi";

struct MpiMeeting {
  std::vector<std::string> hosts;      // of the workers
  std::vector<std::string> pods;       // of the same, in the same order
  std::string container;               // of each that does the work
  std::int64_t slots = 1;              // of each
  std::int64_t port = 0;               // of every sshd: each pod has an address of its own
  std::string own_host;                // the launcher's, where processes run in it, too
  std::string slots_mark = " slots=";  // between a host and its slots
  std::string files;                   // the ConfigMap's name
  std::string keys;                    // the Secret's
  std::string key_folder = "/root/.ssh";
  std::string key_file = "id_ed25519";
  /// Who runs the containers is not whom the files belong to: all may read the keys, and scripts
  /// make copies that ssh and sshd take.
  bool copies_keys = false;
  /// mpirun is called by users: what it must know is in a file that a variable names.
  bool has_parameters = false;
  /// The user says which interfaces Open MPI uses.
  bool own_interfaces = false;
  /// Workers run what the user wants in place of sshd.
  bool own_workers = false;
};

/// <job>-worker-<i>.<job>-worker for each.
std::vector<std::string> worker_hosts(const Json& job, std::int64_t workers);
/// The headless service that makes these names resolve.
Json make_worker_service(const Json& job);

std::string make_hostfile(const MpiMeeting& meeting);
/// A script that prints the hosts of the workers that are there.
std::string make_discovery(const MpiMeeting& meeting);
/// Which pod a host is, for `trainyard rsh`.
std::string make_worker_list(const MpiMeeting& meeting);
std::string make_ssh_config(const MpiMeeting& meeting);
std::string make_sshd_config(const MpiMeeting& meeting);

/// The files, the keys, and the right of the launcher to run commands in the workers, which it uses
/// where there is no sshd.
std::vector<SupportObject> make_mpi_support(const Json& job, const MpiMeeting& meeting);

/// The name of the launcher's account.
std::string launcher_account(const Json& job);
/// Adds the volumes that all pods have.
/// Ranks that wait pass the CPU on to those that work (contract/cpu_sharing.h), unless the user
/// says otherwise.
void share_cpu(Json& pod);
void add_mpi_volumes(Json& pod, const MpiMeeting& meeting);
/// Mounts them, and tells the container its address and what else the scripts must know.
void mount_mpi_volumes(Json& container, const MpiMeeting& meeting);
/// Has the container be a worker: an sshd. `sshd` is where the user says that it is; may be empty.
void make_worker(Json& pod, Json& container, const MpiMeeting& meeting, std::string_view sshd);
/// The container that probes the ways to all workers before the launcher starts.
Json make_preflight(const Json& launcher, const MpiMeeting& meeting, std::int64_t seconds);

inline constexpr const char* kPreflightContainer = "preflight";

}  // namespace trainyard::jobs
