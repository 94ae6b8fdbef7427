#pragma once

#include "object/values/metadata.h"

#include <string>
#include <vector>

namespace trainyard::contract {

/// A folder of a volume with event files, as the spec of a TensorBoard names it.
struct LogFolderSource {
  std::string claim;
  std::string folder;  // in the claim; empty: all of it

  /// What TensorBoard calls its runs when there are several sources.
  std::string label() const { return folder.empty() ? claim : claim + "/" + folder; }
  bool operator==(const LogFolderSource&) const = default;
};

/// Those of `spec` that are in volumes: logDir.pvc, and trainingLogFilesets of t9k://pvc/….
std::vector<LogFolderSource> read_log_sources(const Json& spec);
/// Addresses of `spec` that are elsewhere: S3 and HTTP.
std::vector<std::string> read_remote_log_sources(const Json& spec);

/// On a job: where its event files are, for kinds that have no tensorboardSpec. CLAIM/FOLDER,
/// several with commas.
inline constexpr const char* kLogFolderAnnotation = "trainyard.dev/logdir";

/// Whether objects of this kind may have event files: jobs of all kinds, and TensorBoards.
bool may_have_logs(const Resource& resource);

struct LogPlaces {
  std::vector<LogFolderSource> folders;
  std::vector<std::string> remote;  // nothing of ours can read them
};

/// Where the programs of a job, or those whose curves a TensorBoard shows, write event files: by
/// its tensorboardSpec, failing that by its annotation, failing that by what its containers are
/// told with a flag such as --log_dir, as far as that lies on a claim that they mount. Pure.
LogPlaces find_log_places(const Json& object);

}  // namespace trainyard::contract
