#pragma once

#include "base/files/unique_fd.h"
#include "contract/image_map.h"
#include "node/images/identity.h"
#include "node/limits/cgroups.h"
#include "node/run/environment.h"
#include "node/run/run_state.h"
#include "node/volumes/mounts.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// What the shim is told to run.
struct RunSpec {
  std::vector<std::string> command;
  Variables environment;
  std::string working_dir;
  bool make_working_dir = false;
  std::string hostname;
  std::vector<Mount> mounts;
  std::vector<std::string> mount_points = {};  // that are made before the mounts are known
  std::vector<std::filesystem::path> masks;    // host folders that the container must not see
  std::filesystem::path overlay;               // folder for the private layer over the root
  std::string root_tree = {};                  // what the overlay is over; empty: the host's root
  std::int64_t grace_seconds = 30;
  Identity identity;
  std::optional<std::uint64_t>
      capabilities;  // which it keeps, one bit each; else the shim's choice
  bool read_only_root = false;
  bool own_devices = false;  // not the host's /dev
  bool own_network = false;  // in which nobody but the server reaches it
  Confinement confinement;
  std::filesystem::path termination_log;    // where in the container it may write its last words
  std::optional<contract::ImageMap> image;  // what its image is mapped to
  std::string image_told;                   // what was made of its image
  std::vector<std::string> warnings;        // what it will not get, for its owner to know
  bool input = false;                       // it has a stdin to attach to
  bool input_once = false;                  // which ends with the first who was attached
  bool tty = false;
  LogSizes log;
};

/// The file in a run's folder that takes the container's last words.
inline constexpr const char* kTerminationLog = "termination-log";

/// The file itself, empty.
Result<> make_termination_log(const std::filesystem::path& run_folder);
/// The folders of a private layer over the root.
Result<> make_layers(const std::filesystem::path& overlay);
/// The number of a container's last run that was prepared; 0 also when there is none.
int last_run(const std::filesystem::path& container_folder);
/// The folders of runs that are older than `number` by more than `kept`.
std::vector<std::filesystem::path> old_runs(const std::filesystem::path& container_folder,
                                            int number, int kept);

/// One run of one container: a folder that its shim fills. All that is known is in that folder, so
/// a server that comes back after a crash knows as much as the one that went.
class ContainerRun {
 public:
  /// `life`: what its shim has open as long as it lives (port_keeper.h).
  ContainerRun(std::filesystem::path folder, std::filesystem::path shim, int life = -1)
      : folder_(std::move(folder)), shim_(std::move(shim)), life_(life) {}

  const std::filesystem::path& folder() const { return folder_; }
  RunState state() const;

  /// Starts the shim, unless one lives in the folder already. Where one waits there for its spec
  /// (ready_runs.h), it is told through `waiting`.
  Result<> start(const RunSpec& spec, UniqueFd waiting = UniqueFd()) const;
  /// SIGTERM now, SIGKILL after the grace period. May be called again with less grace. False when
  /// the shim could not be reached (yet).
  bool stop(std::int64_t grace_seconds) const;
  /// Of the process that is the parent of all of the container's; nothing when it is gone.
  std::optional<int> shim_pid() const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path shim_;
  int life_;
};

}  // namespace trainyard::node
