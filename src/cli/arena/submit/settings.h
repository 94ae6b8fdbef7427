#pragma once

#include "cli/arena/config.h"
#include "cli/arena/submit/submit_options.h"
#include "object/json/json.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace trainyard::cli::arena {

struct ClaimMount {
  std::string claim;
  std::string path;
};

struct HostMount {
  std::string host;
  std::string path;
};

/// The files of --config-file that go to one folder of the container.
struct ConfigFolder {
  std::string folder;
  std::string hash;  // of the folder's name: what its volume is called
  std::map<std::string, std::string> files;
};

enum class SyncMode : std::uint8_t { kNone, kGit, kRsync, kUpload };

/// What the flags of a submission mean: checked, and taken apart.
struct Settings {
  SubmitOptions options;  // those that need no more than to be read
  std::map<std::string, std::string> env, secret_env;
  std::map<std::string, std::string> annotations, labels, selector, devices;
  std::vector<ClaimMount> claims;
  std::vector<HostMount> hosts;
  std::vector<ConfigFolder> configs;
  JsonArray tolerations;
  SyncMode sync = SyncMode::kNone;
};

/// Gives the content of a file of this machine.
using ReadLocal = std::function<Result<std::string>(const std::string& path)>;

/// The first that is checked, before the server is asked for anything.
Result<> check_name(const std::string& name);

/// Checks in a fixed order, and names the first that is wrong. kUnsupported: a --sync-mode that
/// nobody knows. Pure but for `read_local`.
Result<Settings> read_settings(const SubmitOptions& options, const TrainingType& type,
                               const Config& config, const ReadLocal& read_local);

}  // namespace trainyard::cli::arena
